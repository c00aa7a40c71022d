// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The visits of this session, in reusable slots. Messages are parsed on access.
struct VisitTable: Sendable {
    private var slots: [VisitSlot] = []
    private var messages: [[UInt8]] = []
    /// The length up to which a free slot keeps the memory of its message for the next one, in bytes.
    private static let reusableByteCountMax = 1024
    /// The stops after the current one, nearest last.
    private var furtherStops: [[Itinerary.Stop]] = []
    private var free: [UInt32] = []
    /// The bytes of the messages that are stored.
    private(set) var byteCount = 0

    /// Stores an arrived message in a free slot, in the state `waiting`. Returns the slot's index.
    mutating func insert(
        _ header: Header, of session: SessionIdentity?, _ message: RawSpan, _ first: Itinerary.Stop,
        visitQueue: Int
    ) -> UInt32 {
        let slot = VisitSlot(
            state: .waiting, header: header, session: session, stop: first, firstNode: first.node,
            visitQueue: visitQueue)
        byteCount += message.byteCount
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

    /// Sets the stops after the first one, in their order.
    mutating func setFurtherStops(_ index: UInt32, _ stops: ArraySlice<Itinerary.Stop>) {
        furtherStops[Int(index)] = stops.reversed()
    }

    mutating func remove(_ index: UInt32) {
        slots[Int(index)].state = .free
        byteCount -= messages[Int(index)].count
        if messages[Int(index)].count > Self.reusableByteCountMax {
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

    /// Removes the further stops of earlier deliveries of a redelivered message. The new delivery visits
    /// the remaining stops.
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

    /// Returns the first visit that meets `condition` and whose responder still runs, even if the visit
    /// belongs to an earlier connection.
    func firstRunning(where condition: (UInt32, VisitSlot) -> Bool) -> UInt32? {
        slots.indices.first { index in
            switch slots[index].state {
            case .free, .waiting: false
            case .running, .abandoned: condition(UInt32(index), slots[index])
            }
        }.map(UInt32.init)
    }

    /// Returns the visits that a node has accepted and that have not ended.
    func begun(firstNode: UInt32) -> [UInt32] {
        slots.indices.filter { index in
            let slot = slots[index]
            return slot.firstNode == firstNode && slot.isAccepted
                && (slot.state == .running || slot.state == .waiting)
        }.map(UInt32.init)
    }

    /// Drops the waiting visits of a node or, without arguments, of the connection. Running visits are
    /// abandoned.
    mutating func abandon(_ visitQueue: Int? = nil, firstNode: UInt32? = nil) {
        for index in slots.indices
        where (visitQueue ?? slots[index].visitQueue, firstNode ?? slots[index].firstNode)
            == (slots[index].visitQueue, slots[index].firstNode)
        {
            switch slots[index].state {
            case .waiting: remove(UInt32(index))
            case .running: slots[index].state = .abandoned
            case .free, .abandoned: break
            }
        }
    }
}

// MARK: - One visit

/// The progress of a visit or delivery in this session. It has no references: ``VisitTable`` stores the
/// message and the further stops separately, so that access needs no reference counting.
struct VisitSlot: Sendable {
    enum State: Sendable {
        case free
        /// The visit is in the queue of its node.
        case waiting
        case running
        /// The connection has broken or the node has been detached. The responder still runs, but no
        /// verdict is sent.
        case abandoned
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

    /// Whether the daemon has cancelled the visit.
    var isCancelled = false
    /// The redelivery of the same message that waits for this visit's result.
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
    /// The number of ended unacknowledged visits whose credit has not been returned to the daemon.
    var creditDue: UInt32 = 0
    /// Whether so much credit is due that it has to be returned (Protocol, "Credit and flow control").
    var isCreditBatchFull: Bool { creditDue >= max(1, UInt32(prefetch / 4)) }

    /// Begins a visit that has just arrived. Returns `false` if it must wait.
    mutating func beginImmediately() -> Bool {
        guard runningCount < concurrency, waiting.isEmpty else {
            return false
        }
        runningCount += 1
        return true
    }

    /// Removes the next waiting visit and begins it. Returns `nil` if none may begin.
    mutating func begin() -> UInt32? {
        guard runningCount < concurrency, let next = waiting.popFirst() else {
            return nil
        }
        runningCount += 1
        return next
    }

    /// Drops the waiting visits and the credit due after the end of the node or the connection. Running
    /// visits continue.
    mutating func removeWaiting() {
        waiting = []
        creditDue = 0
    }
}
