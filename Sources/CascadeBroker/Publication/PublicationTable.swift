// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The publications under way, and the machines that know their recipients.
struct PublicationTable: ~Copyable {
    private var records = Slab<Publication>()
    /// By the session that receives their outcomes.
    private var underWay = OwnedLists<SessionTable.Record, Publication>()
    var subscribers = Subscribers()
    var retained = RetainedTable()

    var count: Int {
        records.count
    }

    var indices: [PublicationIndex] {
        records.indices
    }

    subscript(publication: PublicationIndex) -> Publication {
        _read { yield records[publication] }
        _modify { yield &records[publication] }
    }

    func contains(_ publication: PublicationIndex) -> Bool {
        records.contains(publication)
    }

    /// Inserts a record, reusing a freed one, so that its arrays keep their capacity.
    mutating func insert(reuse: (inout Publication) -> Void) -> PublicationIndex {
        records.insert(Publication(), reuse: reuse)
    }

    mutating func remove(_ publication: PublicationIndex) {
        underWay.remove(publication)
        records.remove(publication)
    }

    // MARK: - By session

    /// The session waits for the outcome of the publication.
    mutating func track(_ publication: PublicationIndex, of session: SessionIndex) {
        underWay.insert(publication, of: session)
    }

    /// Returns the publications for whose outcomes the session waits, in the order of their slots.
    func publications(of session: SessionIndex) -> [PublicationIndex] {
        underWay.records(of: session).sorted()
    }

    /// Forgets the session before its number is given to another one.
    mutating func forget(_ session: SessionIndex) {
        underWay.removeAll(of: session)
    }
}

typealias PublicationIndex = Slab<Publication>.Index

/// One publication's way down, from its publisher to the end of each recipient's handler.
struct Publication: Sendable {
    private(set) var message = Message()
    private(set) var reach = Reach.last
    /// The place that it is published from. It differs from the origin if a node has raised it for another
    /// bus.
    private(set) var publisher = NodeIndex.none
    /// The header for all recipients; `nil` until the first of them is sent one, or once it has to
    /// change.
    private(set) var header: Header?
    /// The number of its ``RetainedMessage`` if it is retained; ``Slab/Index/none`` if not.
    private(set) var keptMessage = RetainedMessageIndex.none
    /// Whether it is a retained publication for one later subscriber.
    private(set) var isGiven = false
    private(set) var deadline = DeadlineQueue.none
    private(set) var startedAt = Instant(nanoseconds: 0)

    /// Those that were lost before they accepted it, but may have begun.
    private(set) var lostAt: [NodeIndex] = []
    /// Subscribers that do not get it: stand-ins that have passed, or those that have had it.
    private(set) var excluded: [NodeIndex] = []
    /// The account charged for its recipients.
    private(set) var account = AccountTable.own
    private(set) var chargedByteCount = 0
    /// How many recipients have not ended yet.
    private(set) var pendingCount = 0
    /// Its recipients, in the order in which they were called; a failed one is taken out.
    private(set) var recipients: [NodeIndex] = []
    /// The recipients on other buses, for the mounts of those buses that say so.
    private(set) var remoteRecipients: [NodeIndex: [NodePath]] = [:]
    /// The places of those that failed, in the order in which they did.
    private(set) var failedPaths: [NodePath] = []
    /// How the first one that failed did so.
    private(set) var failure: Failure?
    /// How the publication ends because of that one, if no recipient has had it.
    private(set) var failureOutcome = OutcomeCode.failed

    /// Bytes charged for each recipient while the publication is under way: its delivery, its
    /// entries in lists and its path in the outcome.
    static let recipientByteCount = 256

    // MARK: - Begin and end

    /// Begins as this message, in a record that is new or has been left by another. Its arrays keep
    /// their room.
    mutating func begin(
        _ message: Message, to reach: Reach, from publisher: NodeIndex,
        at now: Instant
    ) {
        self.message = message
        self.reach = reach
        self.publisher = publisher
        header = nil
        keptMessage = RetainedMessageIndex.none
        isGiven = false
        chargedByteCount = 0
        startedAt = now
        pendingCount = 0
        lostAt.removeAll(keepingCapacity: true)
        if !excluded.isEmpty {
            excluded = []
        }
        recipients.removeAll(keepingCapacity: true)
        failedPaths.removeAll(keepingCapacity: true)
        if !remoteRecipients.isEmpty {
            remoteRecipients = [:]
        }
        failure = nil
        failureOutcome = .failed
    }

    /// It ends at this deadline, if its recipients have not ended before.
    mutating func wait(until deadline: DeadlineQueue.Handle) {
        self.deadline = deadline
    }

    /// Clears the references of a record that becomes free.
    mutating func end() {
        _ = message.clear()
    }

    @inline(__always)
    mutating func resolveName(in names: NameTable) {
        message.resolveName(in: names)
    }

    /// The session of its origin has another connection, which waits for the outcome.
    mutating func adopt(by peer: PeerID) {
        message.adopt(by: peer)
    }

    /// So many bytes are charged to the account until it ends.
    mutating func charge(_ byteCount: Int, to account: AccountIndex) {
        self.account = account
        chargedByteCount = byteCount
    }

    /// Its message is kept under this number.
    mutating func keep(_ message: RetainedMessageIndex) {
        keptMessage = message
    }

    /// Marks it as a retained publication for one later subscriber.
    mutating func markAsRetained() {
        isGiven = true
    }

    /// The header that its recipients get from now on.
    mutating func setHeader(_ header: Header) {
        self.header = header
    }

    // MARK: - Recipients

    /// One more has to end before it does.
    mutating func addPending() {
        pendingCount += 1
    }

    /// Returns whether that was the last one.
    mutating func removePending() -> Bool {
        pendingCount -= 1
        return pendingCount == 0
    }

    /// The subscriber does not get it.
    mutating func exclude(_ node: NodeIndex) {
        excluded.append(node)
    }

    /// The destination that it was published to. A publication for those that have not had it is for all.
    var destination: PublishingDestination {
        reach.destination ?? .all
    }

    mutating func add(_ recipient: NodeIndex) {
        recipients.append(recipient)
    }

    /// Returns whether the node was among the recipients.
    mutating func remove(_ recipient: NodeIndex) -> Bool {
        guard let place = recipients.firstIndex(of: recipient) else {
            return false
        }
        recipients.remove(at: place)
        return true
    }

    /// The publication has reached these nodes of the bus at a mount.
    mutating func record(_ paths: [NodePath], for mount: NodeIndex) {
        if !paths.isEmpty {
            remoteRecipients[mount] = paths
        }
    }

    /// The node was lost with it before it accepted, and may have begun.
    mutating func recordLoss(at node: NodeIndex) {
        lostAt.append(node)
    }

    /// Recipients that get it from now on may have had it before.
    mutating func markSentAgain() {
        if !message.flags.contains(.sentAgain) {
            message.markSentAgain()
            header = nil
        }
    }

    // MARK: - Failures

    /// The first failure becomes the publication's; of the others, the places are reported.
    mutating func fail(_ failure: Failure, at path: NodePath? = nil) {
        if let path {
            failedPaths.append(path)
        }
        self.failure = self.failure ?? failure
    }

    /// A recipient is about to fail: it did not answer in time, policy has rejected it, or another bus says how the
    /// publication has ended there. That counts if it is the first failure.
    mutating func failureEnds(as outcome: OutcomeCode) {
        switch outcome {
        case .failed, .timedOut, .rejected, .looped:
            failureOutcome = failure == nil ? outcome : failureOutcome
        case .handled, .unhandled, .delivered, .noSubscriber, .caught, .cascaded: break
        }
    }

    /// The recipients that failed, of several; the failure of a single one names it.
    var failedRecipients: [NodePath] {
        recipients.count + failedPaths.count > 1 ? failedPaths : []
    }
}
