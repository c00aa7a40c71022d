// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// What was raised and has no outcome yet, kept so that it can be sent again to a restarted daemon.
///
/// Sequence numbers are handed out in order and end roughly in order, so a queue with holes does
/// it.
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

    /// Returns whether there was something under this number.
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

    /// What a node raised goes on as raised from where it is now.
    mutating func move(_ old: NodePath, to new: NodePath) {
        for place in entries.indices {
            if case .node(old)? = entries[place]?.options.origin {
                entries[place]?.options.origin = .node(new)
            }
        }
    }

    /// Everything, in the order in which it was raised.
    var all: [(sequence: UInt64, entry: Entry)] {
        entries.enumerated().compactMap { place, entry in
            entry.map { (firstSequence + UInt64(place), $0) }
        }
    }

    var count: Int {
        entries.count { $0 != nil }
    }
}
