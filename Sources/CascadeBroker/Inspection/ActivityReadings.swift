// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The counters of the nodes as they were read last, for all who ask for activity. Without such a query
/// nothing is kept.
///
/// Nodes are compared with these when an answer is made, so that a message that passes costs nothing.
struct ActivityReadings: Sendable {
    private struct Reading {
        var node = NodeIndex.none
        var counters = NodeCounters()
        /// The reading in which they changed last.
        var changed: UInt64 = 0
        /// By how much the visits grew then.
        var growth: UInt64 = 0
    }

    /// The readings by the numbers of nodes.
    private var readings: [Reading] = []
    private var last: UInt64 = 0

    /// Begins to read, or goes on in another turn. What others read from now on has a later number than this.
    mutating func begin() -> UInt64 {
        last += 1
        return last
    }

    mutating func forget() {
        readings = []
    }

    /// Takes the counters of a node. Returns how busy it was if they have changed since `known`; `nil` if
    /// not.
    ///
    /// - Parameter known: The reading whose changes are known already; `nil` for none.
    mutating func take(
        _ counters: NodeCounters, of node: NodeIndex, since known: UInt64?
    ) -> UInt64? {
        while readings.count <= node.slot {
            readings.append(Reading())
        }
        if readings[node.slot].node != node {
            readings[node.slot] = Reading(node: node)
        }
        let before = readings[node.slot].counters
        if before != counters {
            readings[node.slot].counters = counters
            readings[node.slot].changed = last
            readings[node.slot].growth =
                counters.visits > before.visits ? counters.visits - before.visits : 0
        }
        let reading = readings[node.slot]
        // Nothing but zeros is known of a node that no reading has changed.
        guard reading.changed > known ?? 0 else {
            return nil
        }
        return reading.growth + counters.queue
    }
}
