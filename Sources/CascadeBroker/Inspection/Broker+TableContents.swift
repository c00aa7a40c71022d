// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The contents of the tables, for tests that no table outgrows its limit or keeps stale entries.
extension Broker {
    /// Entries that are no longer needed once all peers have left and every grace time has ended;
    /// one clause each.
    package var remains: [String] {
        [
            (traffic.events.count, "events are under way"),
            (traffic.publications.count, "publications are under way"),
            (traffic.deliveries.count, "deliveries are under way"),
            (hierarchy.count - 1, "places are in the tree"),
            (
                traffic.publications.retained.replacedCount,
                "messages are kept for no retained value"
            ),
            (observers.repeatingQueries.peerCount + observers.monitors.count, "sessions watch"),
            (sessions.disconnected.count, "sessions are waited for"),
            (hierarchy.drainCount, "drains wait"),
            (traffic.deliveries.waitingEmits.isEmpty ? 0 : 1, "queue of emits is charged"),
        ].filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
    }

    /// The number of retained values.
    package var retainedCount: Int {
        traffic.publications.retained.count
    }

    /// Number of visits and deliveries without an answer, including those given up.
    package var unansweredCount: Int {
        traffic.deliveries.count
    }

    /// The tables that have a limit as a whole.
    package var tableSizes: [TableSize] {
        SharedTable.allCases.map { table in
            TableSize(
                name: table.name, count: accounts.used(table),
                limit: table.limit(in: configuration.limits))
        }
    }

    /// The nodes that a session holds, in the order of their activation.
    package var activationOrder: [NodePath] {
        hierarchy.subtree(of: Hierarchy.root, depth: .max)
            .filter { hierarchy[$0].holder != nil }
            .sorted { hierarchy[$0].rank < hierarchy[$1].rank }
            .map { hierarchy.path(of: $0) }
    }

    /// The tree, by the numbers of its places.
    package var places: [UInt32: TreePlace] {
        var found: [UInt32: TreePlace] = [:]
        for place in hierarchy.subtree(of: Hierarchy.root, depth: .max) {
            found[place.number] = TreePlace(
                path: hierarchy.path(of: place),
                parent: place == Hierarchy.root ? nil : hierarchy.parent(of: place).number,
                children: hierarchy.children(of: place).map(\.number),
                isPresented: hierarchy[place].isPresented)
        }
        return found
    }
}

/// How much is in a table that has a limit.
package struct TableSize: Sendable {
    /// As the limit is called.
    package var name: String
    package var count: Int
    package var limit: UInt32
}

/// A place in the tree, for code outside the broker that analyses the tree.
package struct TreePlace: Sendable {
    package var path: NodePath
    /// `nil` for the root.
    package var parent: UInt32?
    /// In the order in which they came there.
    package var children: [UInt32]
    package var isPresented: Bool
}
