// SPDX-License-Identifier: Apache-2.0

import BasicContainers

/// Deadlines in order of time, each removable: a binary heap that knows where its entries are.
///
/// Almost every deadline is removed long before it passes, which a heap without removal would pay
/// for with an entry for each event of the last half minute.
struct DeadlineQueue: ~Copyable {
    /// The owner of the deadline.
    enum Owner: Equatable, Sendable {
        case event(EventIndex)
        case publication(PublicationIndex)
        /// A vacant node's grace.
        case node(NodeIndex)
        /// A connection without a greeting.
        case peer(PeerID)
        /// A session that may resume, by its number.
        case session(SessionIndex)
        case beat
        case reattach
        case answers
        /// The next turn of queries that wait.
        case inquiries
        /// The time until declarations are judged.
        case settle
        /// The next notices about environment values.
        case environment
        /// The next events that are tried with nodes that have come.
        case trials
        /// The next attempt of a failed write.
        case journal
        /// The next parked inputs that are handled.
        case parked
    }

    /// The reference by which a deadline is removed.
    struct Handle: Equatable, Sendable {
        fileprivate let number: UInt32

        fileprivate var slot: Int {
            Int(number)
        }
    }

    /// Stands for no deadline.
    static let none = Handle(number: .max)

    struct Entry {
        var instant: Instant
        var handle: Handle
    }

    /// The target of a handle.
    struct Slot {
        var owner: Owner
        /// Where its entry is in the heap; for a free handle, the one that is free behind it.
        var place: UInt32
    }

    private var heap = UniqueArray<Entry>()
    /// By the numbers of handles.
    private var slots = UniqueArray<Slot>()
    /// The handle that was freed last, in front of the others that are free.
    private var firstFree = none

    var first: Instant? {
        heap.isEmpty ? nil : heap[0].instant
    }

    /// Returns the handle by which the deadline is removed.
    mutating func insert(_ instant: Instant, _ owner: Owner) -> Handle {
        let place = heap.count
        let slot = Slot(owner: owner, place: UInt32(place))
        let handle: Handle
        if firstFree != Self.none {
            handle = firstFree
            firstFree = Handle(number: slots[handle.slot].place)
            slots[handle.slot] = slot
        } else {
            handle = Handle(number: UInt32(slots.count))
            slots.append(slot)
        }
        heap.append(Entry(instant: instant, handle: handle))
        // Mostly the youngest deadline is the last to pass.
        if place > 0, instant < heap[(place - 1) / 2].instant {
            siftUp(place)
        }
        return handle
    }

    /// Removes a deadline and leaves `handle` at ``none``; does nothing if it is there already.
    mutating func remove(_ handle: inout Handle) {
        guard handle != Self.none else {
            return
        }
        removeEntry(at: Int(slots[handle.slot].place))
        handle = Self.none
    }

    /// Takes out the earliest deadline if it has passed.
    mutating func popFirst(at now: Instant) -> Owner? {
        guard !heap.isEmpty, heap[0].instant <= now else {
            return nil
        }
        let slot = heap[0].handle.slot
        removeEntry(at: 0)
        return slots[slot].owner
    }

    private mutating func removeEntry(at place: Int) {
        let free = heap[place].handle
        slots[free.slot].place = firstFree.number
        firstFree = free
        let last = heap.removeLast()
        guard place < heap.count else {
            return
        }
        let moved = last.instant < heap[place].instant
        put(last, at: place)
        if moved {
            siftUp(place)
        } else {
            siftDown(place)
        }
    }

    private mutating func siftUp(_ start: Int) {
        var place = start
        let entry = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.instant < heap[parent].instant else {
                break
            }
            put(heap[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        let entry = heap[place]
        while true {
            var child = 2 * place + 1
            guard child < heap.count else {
                break
            }
            if child + 1 < heap.count, heap[child + 1].instant < heap[child].instant {
                child += 1
            }
            guard heap[child].instant < entry.instant else {
                break
            }
            put(heap[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        slots[entry.handle.slot].place = UInt32(place)
    }
}
