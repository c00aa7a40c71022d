// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The order of activations outlives connections and daemons: a node requested after another was
/// attached is the more recent one, as long as neither is activated again.
struct ActivationOracle {
    private struct Key: Hashable {
        var process: Int
        var path: NodePath
    }

    /// When the node was requested and attached, as seen by its process.
    private struct Span {
        var asked: Int
        var attached: Int?
    }

    private var spans: [Key: Span] = [:]
    private var exempt: Set<NodePath> = []
    private var time = 0

    mutating func asked(_ path: NodePath, by process: Int) {
        time += 1
        spans[Key(process: process, path: path)] = Span(asked: time)
    }

    mutating func attached(_ path: NodePath, of process: Int) {
        time += 1
        spans[Key(process: process, path: path)]?.attached = time
    }

    mutating func detached(_ path: NodePath, of process: Int) {
        spans[Key(process: process, path: path)] = nil
    }

    mutating func ended(_ process: Int) {
        spans = spans.filter { $0.key.process != process }
    }

    /// The node at this path may be activated at any time, or be replaced.
    mutating func exempt(_ path: NodePath) {
        exempt.insert(path)
    }

    /// - Parameter order: the attached nodes in the daemon's order.
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
            where attached < after.asked && after.attached != nil && rank > secondRank {
                return Finding(
                    "activation",
                    "\(first) counts as more recent than \(second), which was attached later")
            }
        }
        return nil
    }
}

/// A session works only on messages that its current connection received, not on those of an
/// earlier connection or of the node's former holder.
struct StaleSessionOracle {
    private struct Handed: Hashable {
        var connection: ConnectionID
        var event: EventID
    }

    private var handed: Set<Handed> = []

    /// The daemon sends the event on a connection.
    mutating func handed(_ event: EventID, by connection: ConnectionID) {
        handed.insert(Handed(connection: connection, event: event))
    }

    /// A node begins to work on the event.
    func begun(_ event: EventID, by connection: ConnectionID?) -> Finding? {
        guard let connection,
            handed.contains(Handed(connection: connection, event: event))
        else {
            return Finding(
                "stale session", "a session works on an event that it did not receive",
                event: event)
        }
        return nil
    }
}
