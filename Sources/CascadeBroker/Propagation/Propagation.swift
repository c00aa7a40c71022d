// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias EventIndex = Slab<Propagation>.Index

/// One event's way up, from its trigger to its outcome.
///
/// `stage` is its present state. Each transition is one function, which has no effect in a stage
/// without such an exit.
package struct Propagation: Sendable {
    /// How the last responder that failed did so.
    enum FailureKind: Sendable {
        /// It threw, or was lost with the event.
        case thrown
        /// It did not answer in time.
        case timedOut
    }

    /// The present message: a responder may have replaced the name and the payload.
    private(set) var message = Message()
    /// The number of the name that it was raised under; ``NameTable/none`` if that has no number.
    private(set) var firstName = NameIndex.none
    /// The present lane: an event whose responder throws continues as an error.
    private(set) var lane = Lane.event
    /// Where it moved when it was raised.
    private(set) var firstLane = Lane.event
    private(set) var stage = Stage.moving
    /// `nil` as long as no responder has failed with it.
    private(set) var lastFailure: FailureKind?
    /// Whether a node that may have begun to handle it was lost.
    private(set) var mayHaveBegun = false
    /// Whether its deadline has passed once, so that it is on its way with a fresh one.
    private(set) var isPastDeadline = false
    /// Whether a responder has come where it had been by, so that it does not park, but begins anew.
    private(set) var hasPassedBy = false
    /// The error that it is, or that was caught on its way.
    private(set) var failure: Failure?
    /// Steps that predicates have taken about it.
    private(set) var predicateSteps = 0
    /// The nodes that a cascade ran at.
    private(set) var ran: [NodePath] = []
    /// The node of another bus that handled it there.
    private(set) var handler: NodePath?

    /// The place where the present message began: the event's origin, or above the responder that
    /// replaced the message. The place is pinned.
    private(set) var start = NodeIndex.none
    /// Where the search for the next responder begins. The place is pinned.
    private(set) var position = NodeIndex.none
    private(set) var startCursor: UInt16 = 0
    private(set) var cursor: UInt16 = 0
    /// How far the declarations have been looked at.
    private(set) var checked = CheckedPart()
    /// The stops of the last visit. They are not part of the stage, so that their capacity is reused from
    /// visit to visit.
    private(set) var visited = VisitedStops()

    private(set) var deadline = DeadlineQueue.none
    private(set) var startedAt = Instant(nanoseconds: 0)
    private(set) var trail = Trail()
    /// The nodes that had changed its payload before it was raised again by hand.
    private(set) var formerTransformers: [NodePath] = []

    // MARK: - Begin and end

    /// Begins as this message, in a record that is new or has been left by ``end()``.
    mutating func begin(
        _ message: consuming Message, in lane: Lane, at place: NodeIndex,
        until deadline: DeadlineQueue.Handle, _ now: Instant
    ) {
        firstName = message.name
        self.message = message
        self.deadline = deadline
        self.lane = lane
        firstLane = lane
        start = place
        position = place
        startedAt = now
    }

    /// Resets the record and returns its payload. Its arrays keep their capacity; most have at most
    /// one element, and removing elements singly is faster then.
    @inline(__always)
    mutating func end() -> Payload {
        let payload = message.clear()
        stage = .moving
        lastFailure = nil
        mayHaveBegun = false
        isPastDeadline = false
        hasPassedBy = false
        failure = nil
        predicateSteps = 0
        startCursor = 0
        cursor = 0
        checked = CheckedPart()
        trail.clear()
        while !ran.isEmpty {
            ran.removeLast()
        }
        if handler != nil {
            handler = nil
        }
        while !formerTransformers.isEmpty {
            formerTransformers.removeLast()
        }
        return payload
    }

    /// It ends or changes at this deadline, if nothing happens before.
    mutating func wait(until deadline: DeadlineQueue.Handle) {
        self.deadline = deadline
    }

    /// Moves the record and its trail to the ring of ended messages.
    @inline(__always)
    mutating func leave(
        in ring: inout TraceRing, as session: SessionIdentity, from path: consuming NodePath,
        at now: Instant, _ code: OutcomeCode, isHandled: Bool, _ failure: Failure?, limit: UInt32,
        _ accounts: inout AccountTable
    ) {
        if let place = ring.makePlace(for: message.origin.account, limit: limit, &accounts) {
            ring.put(
                kept(as: session, from: path, at: now, code, isHandled: isHandled, failure),
                &trail, at: place)
        }
    }

    // MARK: - The message

    /// Its message has another name and payload from here on.
    mutating func replaceMessage(_ name: NameIndex, _ text: EventName?, _ payload: Payload) {
        message.become(name, text, payload)
    }

    @inline(__always)
    mutating func resolveName(in names: NameTable) {
        message.resolveName(in: names)
    }

    /// A node that gets it from now on may have had it before.
    mutating func markSentAgain() {
        message.markSentAgain()
    }

    /// The session of its origin has another connection, which waits for the outcome.
    mutating func adopt(by peer: PeerID) {
        message.adopt(by: peer)
    }

    /// It has until this instant, when this deadline passes.
    mutating func extend(until instant: Instant, _ deadline: DeadlineQueue.Handle) {
        message.extend(until: instant)
        self.deadline = deadline
    }

    /// Appends a visit to the trail.
    mutating func append(_ visit: consuming TrailVisit) {
        trail.append(visit)
    }

    // MARK: - The way

    /// It has come to the place, where the search for its next responder begins.
    mutating func move(to place: NodeIndex, cursor: UInt16) {
        position = place
        self.cursor = cursor
    }

    /// Makes the present position the start of the present message.
    mutating func restartHere() {
        start = position
        startCursor = cursor
    }

    /// Its way up begins behind some responders of its start.
    mutating func begin(atCursor cursor: UInt16) {
        startCursor = cursor
        self.cursor = cursor
    }

    /// The declarations have been looked at so far.
    mutating func recordChecked(_ part: CheckedPart) {
        checked = part
    }

    /// A responder has come behind it, so that it begins anew instead of being parked.
    mutating func markPassedBy() {
        hasPassedBy = true
    }

    /// It begins anew at its start. A node that may have begun with it before has to know.
    mutating func beginAgain() {
        hasPassedBy = false
        if mayHaveBegun {
            message.markSentAgain()
        }
    }

    // MARK: - Results

    /// It is raised again by hand.
    mutating func retry(transformedBy transformers: [NodePath]) {
        formerTransformers = transformers
    }

    /// It is this error.
    mutating func be(_ failure: Failure?) {
        self.failure = failure
    }

    /// Continues as this error.
    mutating func become(_ failure: Failure) {
        lane = .error
        self.failure = failure
    }

    /// Continues as an event, whether it was one before or an error.
    mutating func becomeEvent() {
        lane = .event
    }

    mutating func recordFailure(_ kind: FailureKind) {
        lastFailure = kind
    }

    /// A node was lost with it that may have begun.
    mutating func markMayHaveBegun() {
        mayHaveBegun = true
    }

    /// Records that its deadline has passed; it continues with a new one.
    mutating func markPastDeadline() {
        isPastDeadline = true
    }

    /// A cascade has run at the node.
    mutating func recordRun(at path: NodePath) {
        if ran.last != path {
            ran.append(path)
        }
    }

    /// A node of another bus has handled it there.
    mutating func handled(byRemote handler: NodePath?) {
        self.handler = handler
    }

    /// - Parameter count: steps that a predicate has taken about it; `nil` for more than it may.
    mutating func spendPredicateSteps(_ count: Int?) {
        predicateSteps = count.map { predicateSteps + $0 } ?? .max
    }

    // MARK: - Transitions

    /// moving → writing
    mutating func beginWriting() {
        if case .moving = stage {
            stage = .writing
        }
    }

    /// moving → following
    mutating func beginFollowing() {
        if case .moving = stage {
            stage = .following
        }
    }

    /// writing, following → moving
    mutating func startMoving() {
        switch stage {
        case .writing, .following: stage = .moving
        case .moving, .queued, .visiting, .revoked, .rejected, .parked: break
        }
    }

    /// moving → queued
    mutating func queue(_ delivery: DeliveryIndex) {
        if case .moving = stage {
            stage = .queued(delivery)
        }
    }

    /// moving, queued → visiting
    @inline(__always)
    mutating func beginVisit(_ delivery: DeliveryIndex, at first: Stop) {
        switch stage {
        case .moving, .queued:
            stage = .visiting(delivery)
            visited.begin(at: first)
        case .writing, .following, .visiting, .revoked, .rejected, .parked: break
        }
    }

    /// visiting, revoked → revoked
    mutating func revoke(_ failure: Failure) {
        switch stage {
        case .visiting(let delivery), .revoked(let delivery, _):
            stage = .revoked(delivery, failure)
        case .writing, .following, .moving, .queued, .rejected, .parked: break
        }
    }

    /// queued, visiting → moving; revoked → rejected
    mutating func endDelivery() {
        switch stage {
        case .queued, .visiting: stage = .moving
        case .revoked(_, let failure): stage = .rejected(failure)
        case .writing, .following, .moving, .rejected, .parked: break
        }
    }

    /// moving → parked
    mutating func park(_ reason: Stage.Reason) {
        if case .moving = stage {
            stage = .parked(reason)
        }
    }

    /// parked → moving. Returns the reason for which it was parked; `nil` if it was not.
    @discardableResult
    mutating func unpark() -> Stage.Reason? {
        guard case .parked(let reason) = stage else {
            return nil
        }
        stage = .moving
        return reason
    }

    // MARK: - The visit

    /// The visit that has begun covers this stop too.
    mutating func extendVisit(to stop: Stop) {
        visited.append(stop)
    }

    /// The visit that has begun ends before this one of its stops, which is not the first.
    mutating func cutVisit(before index: Int) {
        visited.removeAll(from: index)
    }
}
