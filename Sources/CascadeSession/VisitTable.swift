// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The visits of this session, in reusable slots. Messages are parsed on access.
struct VisitTable: Sendable {
    private var slots: [VisitSlot] = []
    private var messages: [[UInt8]] = []
    /// The capacity of a message that a free slot may keep, so that the next message needs no
    /// allocation.
    private static let keptByteCountMax = 1024
    /// The stops after the current one, nearest last.
    private var furtherStops: [[Itinerary.Stop]] = []
    private var free: [UInt32] = []

    /// Stores an arrived message in a free slot, in the state waiting. Returns the slot's index.
    mutating func insert(
        _ header: Header, of session: SessionIdentity?, _ message: RawSpan, _ first: Itinerary.Stop,
        visitQueue: Int
    ) -> UInt32 {
        let slot = VisitSlot(
            state: .waiting, header: header, session: session, stop: first, firstNode: first.node,
            visitQueue: visitQueue)
        guard let index = free.popLast() else {
            slots.append(slot)
            messages.append(Array(copying: message))
            furtherStops.append([])
            return UInt32(slots.count - 1)
        }
        slots[Int(index)] = slot
        messages[Int(index)].removeAll(keepingCapacity: true)
        message.withUnsafeBytes { messages[Int(index)].append(contentsOf: $0) }
        return index
    }

    /// Sets the stops after the first, in their order.
    mutating func setFurtherStops(_ index: UInt32, _ stops: ArraySlice<Itinerary.Stop>) {
        furtherStops[Int(index)] = stops.reversed()
    }

    mutating func remove(_ index: UInt32) {
        slots[Int(index)].state = .free
        if messages[Int(index)].count > Self.keptByteCountMax {
            messages[Int(index)] = []
        }
        if !furtherStops[Int(index)].isEmpty {
            furtherStops[Int(index)] = []
        }
        free.append(index)
    }

    subscript(index: UInt32) -> VisitSlot {
        get { slots[Int(index)] }
        _modify { yield &slots[Int(index)] }
    }

    func message(_ index: UInt32) -> [UInt8] {
        messages[Int(index)]
    }

    func withMessage<Result>(
        _ index: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        messages[Int(index)].withUnsafeBytes(body)
    }

    func hasFurtherStop(_ index: UInt32) -> Bool {
        !furtherStops[Int(index)].isEmpty
    }

    /// Moves the visit to its next stop.
    ///
    /// Precondition: ``hasFurtherStop(_:)``.
    mutating func advance(_ index: UInt32) {
        slots[Int(index)].stop = furtherStops[Int(index)].removeLast()
        slots[Int(index)].stopIndex += 1
    }

    /// Removes the further stops of earlier deliveries of a redelivered message: the daemon has
    /// replaced them, and the new delivery visits the remaining stops.
    mutating func shorten(before header: Header) {
        for index in slots.indices
        where slots[index].state != .free && slots[index].header.session == header.session
            && slots[index].header.sequence == header.sequence
        {
            furtherStops[index] = []
        }
    }

    /// Returns the running visits of a delivery.
    func running(delivery: UInt64) -> [UInt32] {
        slots.indices.filter { slots[$0].state == .running && slots[$0].header.id == delivery }
            .map(UInt32.init)
    }

    /// Returns a visit whose responder still runs, on this connection or an earlier one.
    func atWork(where condition: (UInt32, VisitSlot) -> Bool) -> UInt32? {
        slots.indices.first { index in
            switch slots[index].state {
            case .free, .waiting: false
            case .running, .forgotten: condition(UInt32(index), slots[index])
            }
        }.map(UInt32.init)
    }

    /// Drops the waiting visits of a node or, without arguments, of the connection. Running visits
    /// end without a verdict.
    mutating func forget(_ visitQueue: Int? = nil, firstNode: UInt32? = nil) {
        for index in slots.indices
        where (visitQueue ?? slots[index].visitQueue, firstNode ?? slots[index].firstNode)
            == (slots[index].visitQueue, slots[index].firstNode)
        {
            switch slots[index].state {
            case .waiting: remove(UInt32(index))
            case .running: slots[index].state = .forgotten
            case .free, .forgotten: break
            }
        }
    }
}

// MARK: - One visit

/// The progress of a visit or delivery in this session. It holds plain numbers: ``VisitTable``
/// holds the message and further stops separately, so that access needs no reference counting.
struct VisitSlot: Sendable {
    enum State: Sendable {
        case free
        /// It waits for its node.
        case waiting
        case running
        /// Its connection or node is gone, and its result is not sent.
        case forgotten
    }

    var state = State.free
    var header = Header(.visit)
    /// The session of the origin, if the daemon has defined it.
    var session: SessionIdentity?
    /// The stop that runs or waits.
    var stop = Itinerary.Stop(node: Header.noNode, responder: 0)
    /// The index of the stop in the itinerary.
    var stopIndex = 0
    /// The node of the itinerary's first stop, to which the daemon attributes the visit.
    var firstNode = Header.noNode
    /// The visit queue of the stop's node.
    var visitQueue = 0
    /// Whether the accept has been sent to the daemon.
    var isAccepted = false

    /// Whether the origin no longer waits for the result.
    var isCancelled = false
    /// The redelivery that waits for this visit's result.
    var joined: UInt32?

    /// Whether the daemon expects a verdict.
    var isAcknowledged: Bool {
        !header.flags.contains(.unacknowledged)
    }

    var isPublication: Bool {
        header.command == .delivery
    }
}

// MARK: - The visits of one node

/// The visits that have arrived for one node, and the number that run.
struct VisitQueue: Sendable {
    var concurrency = 1
    var prefetch = 1
    var runningCount = 0
    var waiting: Deque<UInt32> = []
    /// The number of unacknowledged visits that have ended and are not yet returned to the daemon
    /// as credit.
    var creditDue: UInt32 = 0

    /// Begins a visit that has just arrived, unless it must wait. Returns whether it begins.
    mutating func beginsAtOnce() -> Bool {
        guard runningCount < concurrency, waiting.isEmpty else {
            return false
        }
        runningCount += 1
        return true
    }

    /// Returns the next waiting visit that may begin now, if any.
    mutating func begin() -> UInt32? {
        guard runningCount < concurrency, let next = waiting.popFirst() else {
            return nil
        }
        runningCount += 1
        return next
    }

    /// Drops the waiting visits after the end of the node or the connection. Running visits
    /// continue.
    mutating func empty() {
        waiting = []
        creditDue = 0
    }
}
