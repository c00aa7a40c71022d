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
        /// The next changes of the tree for those that follow it.
        case treeChanges
        /// The next answers of queries that are answered by the clock.
        case answersByClock
        /// The next turn of queries that wait.
        case inquiries
        /// The next counts of what was left out for monitors.
        case samples
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

    /// The reference by which a deadline is removed. It stands for no other deadline once that has
    /// passed or has been removed, so that the owner may keep it.
    struct Handle: Equatable, Sendable {
        fileprivate let slot: UInt32
        fileprivate let generation: UInt32
    }

    /// Stands for no deadline.
    static var none: Handle {
        Handle(slot: .max, generation: 0)
    }

    struct Entry {
        var instant: Instant
        var slot: UInt32
    }

    /// The target of a handle.
    struct Slot {
        var owner: Owner
        /// The place of its entry in the heap; for a free slot, the next free slot.
        var place: UInt32
        /// Grows each time that the slot is freed.
        var generation: UInt32
    }

    private static var noSlot: UInt32 { .max }

    private var heap = UniqueArray<Entry>()
    private var slots = UniqueArray<Slot>()
    /// The slot that was freed last, in front of the others that are free.
    private var firstFree = noSlot

    var first: Instant? {
        heap.isEmpty ? nil : heap[0].instant
    }

    /// Returns the handle by which the deadline is removed.
    @inline(__always)
    mutating func insert(_ instant: Instant, _ owner: Owner) -> Handle {
        let place = heap.count
        let slot: UInt32
        var generation: UInt32 = 1
        if firstFree != Self.noSlot {
            slot = firstFree
            firstFree = slots[Int(slot)].place
            generation = slots[Int(slot)].generation
            slots[Int(slot)].owner = owner
            slots[Int(slot)].place = UInt32(place)
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot(owner: owner, place: UInt32(place), generation: generation))
        }
        heap.append(Entry(instant: instant, slot: slot))
        // Mostly the youngest deadline is the last to pass.
        if place > 0, instant < heap[(place - 1) / 2].instant {
            siftUp(place)
        }
        return Handle(slot: slot, generation: generation)
    }

    /// Whether the deadline has neither passed nor been removed.
    func contains(_ handle: Handle) -> Bool {
        handle.slot < slots.count && slots[Int(handle.slot)].generation == handle.generation
    }

    /// When the deadline passes; `nil` if it has passed or been removed.
    func instant(of handle: Handle) -> Instant? {
        contains(handle) ? heap[Int(slots[Int(handle.slot)].place)].instant : nil
    }

    /// Removes a deadline; does nothing if it has passed or been removed.
    @inline(__always)
    mutating func remove(_ handle: Handle) {
        if contains(handle) {
            removeEntry(at: Int(slots[Int(handle.slot)].place))
        }
    }

    /// Takes out the earliest deadline if it has passed.
    mutating func popFirst(at now: Instant) -> Owner? {
        guard !heap.isEmpty, heap[0].instant <= now else {
            return nil
        }
        let slot = Int(heap[0].slot)
        removeEntry(at: 0)
        return slots[slot].owner
    }

    @inline(__always)
    private mutating func removeEntry(at place: Int) {
        let free = heap[place].slot
        slots[Int(free)].place = firstFree
        slots[Int(free)].generation &+= 1
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
        slots[Int(entry.slot)].place = UInt32(place)
    }
}
