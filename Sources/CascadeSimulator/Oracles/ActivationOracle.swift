// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Checks that the order of activations outlives connections and daemons: a node that was requested
/// after another one was attached is the more recent one, unless either is activated again.
struct ActivationOracle {
    private struct Key: Hashable {
        var process: Int
        var path: NodePath
    }

    /// The times of the request and of the attachment, as its process observed them.
    private struct Span {
        var requested: Int
        var attached: Int?
    }

    private var spans: [Key: Span] = [:]
    private var exempt: Set<NodePath> = []
    private var time = 0

    mutating func requested(_ path: NodePath, by process: Int) {
        time += 1
        spans[Key(process: process, path: path)] = Span(requested: time)
    }

    mutating func attached(_ path: NodePath, of process: Int) {
        time += 1
        spans[Key(process: process, path: path)]?.attached = time
    }

    mutating func detached(_ path: NodePath, of process: Int) {
        spans[Key(process: process, path: path)] = nil
    }

    mutating func processEnded(_ process: Int) {
        spans = spans.filter { $0.key.process != process }
    }

    /// Excludes the node at a path, because it may be activated or replaced at any time.
    mutating func exempt(_ path: NodePath) {
        exempt.insert(path)
    }

    /// Returns a finding if two nodes have the wrong order.
    ///
    /// - Parameter order: The attached nodes in the daemon's order.
    func check(_ order: [NodePath]) -> Finding? {
        let ranks = Dictionary(
            zip(order, order.indices), uniquingKeysWith: { _, last in last })
        let nodes = spans.filter { !exempt.contains($0.key.path) }
            .compactMap { key, span in ranks[key.path].map { (key.path, span, $0) } }
        for (first, before, rank) in nodes {
            guard let attached = before.attached else {
                continue
            }
            for (second, after, secondRank) in nodes
            where attached < after.requested && after.attached != nil && rank > secondRank {
                return Finding(
                    "activation",
                    "\(first) counts as more recent than \(second), which was attached later")
            }
        }
        return nil
    }
}

/// Checks that a session works only on messages that its current connection received, not on those of an
/// earlier connection or of the node's former holder.
struct StaleSessionOracle {
    private struct Sent: Hashable {
        var connection: ConnectionID
        var event: EventID
    }

    private var sent: Set<Sent> = []

    /// Records that the daemon sends the event on a connection.
    mutating func sent(_ event: EventID, on connection: ConnectionID) {
        sent.insert(Sent(connection: connection, event: event))
    }

    /// Records that a node begins to work on the event. Returns a finding if the node's connection has not
    /// received it.
    func begun(_ event: EventID, on connection: ConnectionID?) -> Finding? {
        guard let connection,
            sent.contains(Sent(connection: connection, event: event))
        else {
            return Finding(
                "stale session", "a session works on an event that it did not receive",
                event: event)
        }
        return nil
    }
}
