// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSession

/// The planned actions, in a binary heap ordered by time. Actions for the same time keep the order in which
/// they were planned.
struct Agenda {
    private struct Entry {
        var time: Instant
        var order: UInt64
        var action: Action

        func isBefore(_ other: Entry) -> Bool {
            (time, order) < (other.time, other.order)
        }
    }

    private var entries: [Entry] = []
    private var lastOrder: UInt64 = 0

    /// The time of the next action; `nil` for none.
    var nextTime: Instant? {
        entries.first?.time
    }

    mutating func plan(_ action: Action, at time: Instant) {
        lastOrder += 1
        entries.append(Entry(time: time, order: lastOrder, action: action))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else {
                return
            }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next action.
    mutating func next() -> Action? {
        guard let first = entries.first, let last = entries.popLast() else {
            return nil
        }
        if !entries.isEmpty {
            entries[0] = last
            siftDown()
        }
        return first.action
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            guard least != parent else {
                return
            }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}

/// An action that is planned for a time.
enum Action {
    /// One step of the workload and the faults.
    case tick(Int)
    /// Messages of a connection arrive at their receiver.
    case arrive(ConnectionID, Direction)
    /// The daemon detects the end of a connection.
    case daemonDetectsEnd(ConnectionID)
    /// The worker detects the end of its connection.
    case workerDetectsEnd(ConnectionID)
    /// The daemon closes the connection of a peer whose session it has ended.
    case expel(ConnectionID, expulsion: Int)
    case startDaemon
    case continueDaemon
    /// A visit that a planted bug delayed is sent.
    case sendDelayed(Int)
    /// The journal of a daemon writes a part of its entries.
    case writeJournal(incarnation: Int)
    case startProcess(Int)
    case continueProcess(Int)
    /// A process tries again to attach refused nodes.
    case attachAgain(Int, incarnation: Int)
    /// A responder or subscription ends.
    case finish(Int, incarnation: Int, InvocationToken)
}
