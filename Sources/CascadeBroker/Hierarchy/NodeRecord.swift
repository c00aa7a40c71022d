// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadePolicy
import CascadeWire

typealias NodeIndex = Slab<NodeRecord>.Index

/// A place in the tree, held by a peer or vacant.
struct NodeRecord: Sendable {
    // The largest members come first, so that nothing between them is wasted.

    /// The last component of the path.
    var component = ""
    /// The whole path, cached at the first use by a frequent caller.
    var keptPath: NodePath?
    /// The holder under the previous daemon that has not come back.
    var former: FormerHolder?
    /// The later it was activated, attached or subscribed, the higher.
    var rank: UInt64 = 0
    /// Since when it is in these hands, or vacant.
    var since = Instant(nanoseconds: 0)
    var responders: [Responder] = []
    /// Those of its responders, as they number them.
    var predicates: [Predicate] = []
    /// Numbers of names.
    var subscriptions: [NameIndex] = []

    /// Bytes of the visits and deliveries that count against the prefetch, and of events that it
    /// answers by credit.
    var unansweredByteCount = 0
    var answeredCount: UInt64 = 0
    /// Verdicts that it failed with.
    var failedCount: UInt64 = 0
    /// From the departure of visits to the arrival of their verdicts, summed up, and over how many.
    var latencyNanoseconds: UInt64 = 0
    var measuredCount: UInt64 = 0

    // The tree, for ``Hierarchy`` alone.
    var parent = Slab<NodeRecord>.Slot.none
    var firstChild = Slab<NodeRecord>.Slot.none
    var lastChild = Slab<NodeRecord>.Slot.none
    var nextSibling = Slab<NodeRecord>.Slot.none
    var previousSibling = Slab<NodeRecord>.Slot.none
    var childCount: UInt32 = 0
    var depth: UInt32 = 0

    /// The account of the current or last holder; the bus's own if the place was never held.
    var account = AccountTable.own
    /// The account to which the place is charged.
    var payer = AccountTable.own
    /// Deliveries on their way to it or in its hands, in the order in which they were sent.
    var outstanding = DeliveryList()
    /// Deliveries that wait until the prefetch has room.
    var waiting = DeliveryList()
    var waitingCount: UInt32 = 0
    /// Stops here of visits under way that began at another stop.
    var laterStops: UInt32 = 0
    /// Number of events and publications that need the place to stay, even if it is vacant.
    var pins: UInt32 = 0
    /// The deadline of its grace time, while that runs.
    var grace = DeadlineQueue.none
    /// Visits that it works on at once.
    var concurrency: UInt16 = 1
    var prefetch: UInt16 = 0
    /// Visits and deliveries that count against the prefetch.
    var unansweredCount: UInt32 = 0
    /// The peer that holds it; `nil` while it is vacant.
    var holder: PeerID?
    /// What policy allows its holder to do here.
    var rights: PolicyVerbs = []
    var isActive = false
    /// What its holder declared; others may have activated or deactivated it since.
    var isDeclaredActive = false
    /// It finishes what it accepted and takes nothing new.
    var isLeaving = false
    /// It leaves because an administrator wants it to.
    var isDraining = false
    /// It stops when its parent goes. Stays while the place is vacant.
    var isPresented = false
    /// What is below it stops when its grace time has run out. Stays while the place is vacant, so
    /// that the last holder's word counts.
    var detachesOrphans = false
    /// It is told how durable events ended that were raised in its place before.
    var wantsOutcomes = false
    /// Whether it has as many bytes to answer as allowed.
    var isFull = false

    /// Whether it may be asked, now.
    var isAvailable: Bool {
        holder != nil && !isLeaving
    }

    /// Whether the responder is asked under a condition only.
    func hasPredicate(_ responder: UInt16) -> Bool {
        responders[Int(responder)].predicate != Responder.always
    }

    /// Under which condition the responder is asked; `nil` for always.
    func predicate(of responder: UInt16) -> Predicate? {
        predicate(of: responders[Int(responder)])
    }

    func predicate(of responder: Responder) -> Predicate? {
        responder.predicate == Responder.always ? nil : predicates[Int(responder.predicate)]
    }

    /// Whether another delivery may be sent to it now. What waits goes first.
    var hasRoom: Bool {
        unansweredCount < prefetch && !isFull && waiting.isEmpty
    }

    /// Whether nothing needs the place any more.
    var isDispensable: Bool {
        holder == nil && childCount == 0 && pins == 0 && grace == DeadlineQueue.none
            && depth > 0
    }

    /// An event or a publication needs the place no more. Returns whether nothing does.
    mutating func unpin() -> Bool {
        pins -= 1
        return isDispensable
    }

    /// It has one more to answer, of so many bytes.
    mutating func noteGiven(_ byteCount: UInt32, limit: UInt32) {
        unansweredCount += 1
        unansweredByteCount += Int(byteCount)
        isFull = unansweredByteCount >= Int(limit)
    }

    /// It has answered so many, of so many bytes.
    ///
    /// - Parameter said: how many it says that it has answered.
    mutating func noteAnswered(
        _ count: UInt32, saying said: UInt32, _ byteCount: Int, limit: UInt32
    ) {
        answeredCount += UInt64(said)
        // A node that returned more credit than it had has given this place back already.
        unansweredCount -= min(count, unansweredCount)
        unansweredByteCount = unansweredCount == 0 ? 0 : max(0, unansweredByteCount - byteCount)
        isFull = unansweredByteCount >= Int(limit)
    }

    /// Counts a visit that was answered, for people to see.
    mutating func measure(from sentAt: Instant, to now: Instant, isFailed: Bool) {
        latencyNanoseconds += now.nanoseconds - min(now.nanoseconds, sentAt.nanoseconds)
        measuredCount += 1
        failedCount += isFailed ? 1 : 0
    }

    /// Declares nothing any more, as when its session has ended.
    mutating func withdraw(at now: Instant) {
        holder = nil
        keptPath = nil
        rights = []
        isActive = false
        wantsOutcomes = false
        isLeaving = false
        isDraining = false
        since = now
        responders = []
        predicates = []
        subscriptions = []
        prefetch = 0
        unansweredCount = 0
        unansweredByteCount = 0
        isFull = false
        laterStops = 0
        waitingCount = 0
        answeredCount = 0
        failedCount = 0
        latencyNanoseconds = 0
        measuredCount = 0
    }
}
