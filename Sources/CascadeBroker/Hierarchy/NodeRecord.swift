// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadePolicy
import CascadeWire

typealias NodeIndex = Slab<NodeRecord>.Index

/// A place in the tree, held by a peer or vacant. Only its methods change its declared state.
struct NodeRecord: Sendable {
    // The largest members come first, so that nothing between them is wasted.

    /// Its position in the tree.
    private(set) var links = TreeLinks()
    /// The later it was activated, attached or subscribed, the higher.
    private(set) var rank: UInt64 = 0
    /// When its holder attached, or when it became vacant.
    private(set) var since = Instant(nanoseconds: 0)
    private(set) var responders: [Responder] = []
    /// The predicates of its responders, at the places that these refer to.
    private(set) var predicates: [Predicate] = []
    /// Numbers of names.
    private(set) var subscriptions: [NameIndex] = []

    /// Bytes of the visits and deliveries that count against the prefetch, and of events that it
    /// answers by credit.
    private(set) var unansweredByteCount = 0
    private(set) var answeredCount: UInt64 = 0
    /// Verdicts that it failed with.
    private(set) var failedCount: UInt64 = 0
    /// From the departure of visits to the arrival of their verdicts, summed up, and over how many.
    private(set) var latencyNanoseconds: UInt64 = 0
    private(set) var measuredCount: UInt64 = 0

    /// The account of the current or last holder; the bus's own if the place was never held.
    private(set) var account = AccountTable.own
    /// The account to which the place is charged.
    private(set) var payer = AccountTable.own
    /// How many deliveries wait until the prefetch has room.
    private(set) var waitingCount: UInt32 = 0
    /// Stops here of visits under way that began at another stop.
    private(set) var laterStops: UInt32 = 0
    /// Number of events and publications that need the place to stay, even if it is vacant.
    private(set) var pins: UInt32 = 0
    /// The deadline of its grace time, while that runs.
    private(set) var grace = DeadlineQueue.none
    /// Visits that it works on at once.
    private(set) var concurrency: UInt16 = 1
    private(set) var prefetch: UInt16 = 0
    /// Visits and deliveries that count against the prefetch.
    private(set) var unansweredCount: UInt32 = 0
    /// The peer that holds it; `nil` while it is vacant.
    private(set) var holder: PeerID?
    /// The verbs that policy allows its holder here.
    private(set) var authorizedVerbs: PolicyVerbs = []
    private(set) var isActive = false
    /// Whether its holder declared it active; it may have been activated or deactivated since.
    private(set) var isDeclaredActive = false
    /// Whether it is leaving: it finishes its accepted work and receives no more.
    private(set) var isLeaving = false
    /// It leaves because an administrator wants it to.
    private(set) var isDraining = false
    /// Whether it stops when its parent leaves. Unchanged while the place is vacant.
    private(set) var isPresented = false
    /// Whether its descendants stop when its grace time ends. Unchanged while the place is vacant,
    /// so that the last holder's choice is in force.
    private(set) var detachesOrphans = false
    /// Whether it stands for a bus below it. Unchanged while the place is vacant; the tree counts such
    /// places.
    private(set) var isMount = false
    /// Whether it receives the outcomes of durable events raised earlier from its place.
    private(set) var wantsOutcomes = false
    /// Whether it has as many bytes to answer as allowed.
    private(set) var isFull = false

    /// Whether its node connects another bus: it is the root, or a mount.
    var isUplink: Bool {
        isMount || links.depth == 0
    }

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

    /// Whether another delivery may be sent to it now. Waiting deliveries go first.
    var hasRoom: Bool {
        unansweredCount < prefetch && !isFull && waitingCount == 0
    }

    /// The holder, if an event may be sent to it now that it does not answer: the node has room, and
    /// its responder is asked under no condition.
    func holder(ofEventFor responder: UInt16) -> PeerID? {
        hasRoom && !hasPredicate(responder) ? holder : nil
    }

    /// Whether the first of its waiting deliveries may be sent to it now.
    var hasRoomForWaiting: Bool {
        waitingCount > 0 && unansweredCount < prefetch && !isFull
    }

    /// Whether anything waits until it has answered: deliveries, or its leave.
    var isWaitingForAnswers: Bool {
        waitingCount > 0 || isLeaving
    }

    /// Whether the place is no longer needed.
    var isDispensable: Bool {
        holder == nil && links.childCount == 0 && pins == 0 && !isInGrace
            && links.depth > 0
    }

    /// Whether its grace time runs.
    var isInGrace: Bool {
        grace != DeadlineQueue.none
    }

    /// Its grace time ends at this deadline.
    mutating func beginGrace(until deadline: DeadlineQueue.Handle) {
        grace = deadline
    }

    /// Its grace time is over. Returns the deadline, which has passed or is no longer needed.
    @discardableResult
    mutating func endGrace() -> DeadlineQueue.Handle {
        defer { grace = DeadlineQueue.none }
        return grace
    }

    /// Events and publications need the place to stay.
    mutating func pin(_ count: UInt32 = 1) {
        pins += count
    }

    /// An event or a publication needs the place no more. Returns whether nothing does.
    @discardableResult @inline(__always)
    mutating func unpin(_ count: UInt32 = 1) -> Bool {
        pins -= count
        return isDispensable
    }

    /// The tree has changed around it. The members of the links are the hierarchy's to set.
    mutating func relink(_ change: (inout TreeLinks) -> Void) {
        change(&links)
    }

    // MARK: - Deliveries

    /// Another delivery waits until it has room.
    mutating func countQueued() {
        waitingCount += 1
    }

    /// Counts a delivery that has been sent or redirected.
    mutating func countDequeued() {
        waitingCount -= 1
    }

    /// A visit to another node may come here later.
    mutating func addLaterStop() {
        laterStops += 1
    }

    /// A visit to another node, which might have come here, is over.
    mutating func removeLaterStop() {
        laterStops -= min(1, laterStops)
    }

    /// It has one more to answer, of so many bytes.
    mutating func countSent(_ byteCount: UInt32, limit: UInt32) {
        unansweredCount += 1
        unansweredByteCount += Int(byteCount)
        isFull = unansweredByteCount >= Int(limit)
    }

    /// Counts answered deliveries and their bytes.
    ///
    /// - Parameter said: the number of answers according to the node.
    mutating func countAnswered(
        _ count: UInt32, saying said: UInt32, _ byteCount: Int, limit: UInt32
    ) {
        answeredCount += UInt64(said)
        // A node that returned more credit than it had has already released this one.
        unansweredCount -= min(count, unansweredCount)
        unansweredByteCount = unansweredCount == 0 ? 0 : max(0, unansweredByteCount - byteCount)
        isFull = unansweredByteCount >= Int(limit)
    }

    /// Counts a delivery of so many bytes that was answered, and how long that took, for people to
    /// see.
    mutating func countAnswer(
        of byteCount: UInt32, from sentAt: Instant, to now: Instant, isFailed: Bool, limit: UInt32
    ) {
        countAnswered(1, saying: 1, Int(byteCount), limit: limit)
        latencyNanoseconds += now.nanoseconds - min(now.nanoseconds, sentAt.nanoseconds)
        measuredCount += 1
        failedCount += isFailed ? 1 : 0
    }

    /// Its counters as inspectors see them.
    var counters: NodeCounters {
        var counters = NodeCounters()
        counters.queue = UInt64(unansweredCount + waitingCount)
        counters.visits = answeredCount
        counters.errors = failedCount
        counters.latencyMicroseconds = latencyNanoseconds / 1_000
        counters.measured = measuredCount
        return counters
    }

    // MARK: - Holding and declaring

    mutating func hold(by peer: PeerID, of account: AccountIndex, at now: Instant) {
        holder = peer
        self.account = account
        since = now
    }

    /// Sets the verbs that policy allows its holder here.
    mutating func authorize(_ verbs: PolicyVerbs) {
        authorizedVerbs = verbs
    }

    /// The place is charged to this account from now on.
    mutating func charge(to account: AccountIndex) {
        payer = account
    }

    mutating func declare(
        _ declaration: NodeDeclaration, responders: [Responder], predicates: [Predicate],
        subscriptions: [NameIndex]
    ) {
        self.responders = responders
        self.predicates = predicates
        self.subscriptions = subscriptions
        isActive = declaration.isActive
        isDeclaredActive = declaration.isActive
        concurrency = declaration.concurrency
        prefetch = declaration.prefetch
        isPresented = declaration.isPresented
        detachesOrphans = declaration.detachesOrphans
        wantsOutcomes = declaration.wantsOutcomes
    }

    mutating func setMount(_ isMount: Bool) {
        self.isMount = isMount
    }

    mutating func activate(_ isActive: Bool) {
        self.isActive = isActive
    }

    mutating func rank(_ rank: UInt64) {
        self.rank = rank
    }

    // MARK: - Leaving

    /// It takes nothing new from here on.
    mutating func beginLeaving() {
        isLeaving = true
    }

    /// It is about to leave because an administrator wants it to.
    mutating func beginDraining() {
        isDraining = true
    }

    /// Its holder is going, so that nothing more is sent to it.
    mutating func close() {
        prefetch = 0
    }

    /// Withdraws the declaration, for example when its session has ended.
    mutating func withdraw(at now: Instant) {
        holder = nil
        authorizedVerbs = []
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

    // MARK: - Restarting

    /// Restores the previous daemon's state of the place.
    mutating func restore(_ place: Handover.Place, of account: AccountIndex, at now: Instant) {
        isPresented = place.isPresented
        detachesOrphans = place.detachesOrphans
        self.account = account
        since = place.isHeld ? now : min(place.since, now)
    }

    /// The place has been made.
    mutating func begin(at now: Instant, payer: AccountIndex) {
        self = NodeRecord()
        since = now
        self.payer = payer
    }
}
