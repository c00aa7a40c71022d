// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The raised messages without an outcome, kept to be sent again to a restarted daemon.
///
/// Sequence numbers are assigned in order, and outcomes arrive roughly in order, so a queue with
/// gaps suffices.
struct InFlightWindow: Sendable {
    struct Entry: Sendable {
        var raising: Raising
        var options: RaiseOptions
    }

    private var entries: Deque<Entry?> = []
    private var firstSequence: UInt64 = 1

    mutating func insert(_ entry: Entry, at sequence: UInt64) {
        if entries.isEmpty {
            firstSequence = sequence
        }
        while firstSequence + UInt64(entries.count) < sequence {
            entries.append(nil)
        }
        entries.append(entry)
    }

    /// Removes an entry. Returns whether there was one with this number.
    mutating func remove(_ sequence: UInt64) -> Bool {
        guard sequence >= firstSequence, sequence - firstSequence < UInt64(entries.count),
            entries[Int(sequence - firstSequence)] != nil
        else {
            return false
        }
        entries[Int(sequence - firstSequence)] = nil
        while let first = entries.first, first == nil {
            entries.removeFirst()
            firstSequence += 1
        }
        return true
    }

    /// Changes the origin of messages after a move of their node.
    mutating func move(_ old: NodePath, to new: NodePath) {
        for place in entries.indices {
            if case .node(old)? = entries[place]?.options.origin {
                entries[place]?.options.origin = .node(new)
            }
        }
    }

    /// All entries, in the order in which they were raised.
    var all: [(sequence: UInt64, entry: Entry)] {
        entries.enumerated().compactMap { place, entry in
            entry.map { (firstSequence + UInt64(place), $0) }
        }
    }

    var count: Int {
        entries.count { $0 != nil }
    }
}
