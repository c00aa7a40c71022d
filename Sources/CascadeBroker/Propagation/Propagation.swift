// SPDX-License-Identifier: Apache-2.0

import CascadeWire

typealias EventIndex = Slab<Propagation>.Index

/// One event's way up, from its trigger to its outcome.
package struct Propagation: Sendable {
    /// What it is now: a responder may have replaced the name and the payload.
    var message = Message()
    /// The number of the name that it was raised under; ``NameTable/none`` if that has no number.
    private(set) var firstName = NameIndex.none
    /// Where it moves now: an event whose responder throws goes on as an error.
    var lane = Lane.event
    /// Where it moved when it was raised.
    private(set) var firstLane = Lane.event
    /// The error that it is, or that was caught on its way.
    var failure: Failure?
    /// Whether a responder threw, or was lost with it, or did not answer.
    var hasFailed = false
    /// Whether it has been stopped because sessions died with it.
    var isQuarantined = false
    /// Whether what it is now came of a deadline.
    var hasTimedOut = false
    /// What predicates read; `nil` until one has to.
    var facts: Facts?
    /// Whether a node was lost with it that may have begun, whatever it could still say.
    var mayHaveBegun = false
    /// The nodes that a cascade ran at.
    var ran: [NodePath] = []

    /// Where the way up of what it is now began: at its origin, or above the responder that made it
    /// so. The place is pinned.
    var start = NodeIndex.none
    var startCursor: UInt16 = 0
    /// Where the search for the next responder begins. The place is pinned.
    var position = NodeIndex.none
    var cursor: UInt16 = 0
    /// Once a move has taken the start away from the path: every place on it, from the start to
    /// the root, each pinned. Empty where the path is still the tree's.
    var fixedPath: [NodeIndex] = []
    /// How far the declarations have been looked at.
    var checked = CheckedPart()
    /// What the visit under way covers.
    var stops: [Stop] = []
    /// ``Slab/Index/none`` while no visit is under way.
    var delivery = DeliveryIndex.none

    /// Whether its deadline has passed once, so that it is on its way with a fresh one.
    var isPastDeadline = false
    /// Whether it waits now for a responder to come.
    var isParked = false
    /// Whether one has come where it had been by, so that it need not wait, but begins anew.
    var hasPassedBy = false
    var deadlineHandle = DeadlineQueue.none
    private(set) var startedAt = Instant(nanoseconds: 0)
    var trail: [TrailVisit] = []
    /// The nodes that had changed its payload before it was raised again by hand.
    var formerTransformers: [NodePath] = []

    /// The nodes that have put another payload in the place of the one that it was raised with: by
    /// transforming it, or by failing.
    var transformers: [NodePath] {
        var paths = formerTransformers
        for visit in trail where visit.kind != .observe {
            let changesPayload = visit.verdict == .replaced || visit.verdict == .failed
            if changesPayload, !paths.contains(visit.path) {
                paths.append(visit.path)
            }
        }
        return paths
    }

    /// The name that it was raised under, if the message had it as text.
    var firstText: EventName? {
        message.words?.raised.name
    }

    /// Until when it is held without a handler; `nil` if it is not to be held.
    var holdDeadline: Instant? {
        message.holdMilliseconds.map { startedAt.advanced(byMilliseconds: $0) }
    }

    /// Begins as this message, in a place that another one may have left.
    mutating func begin(_ message: Message, in lane: Lane, at place: NodeIndex, _ now: Instant) {
        self.message = message
        firstName = message.name
        self.lane = lane
        firstLane = lane
        failure = nil
        hasFailed = false
        mayHaveBegun = false
        hasTimedOut = false
        isQuarantined = false
        isPastDeadline = false
        isParked = false
        hasPassedBy = false
        start = place
        startCursor = 0
        position = place
        cursor = 0
        delivery = DeliveryIndex.none
        startedAt = now
    }
}
