// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// A durable event, from its trigger until its origin has the outcome.
struct DurableEvent: Sendable {
    enum State: Sendable {
        /// It is being written, and has not been accepted. Exits: underWay, or it is refused.
        case writing
        /// It is accepted, and on its way up or held. Exits: settling.
        case underWay
        /// It has ended, and its outcome is being written. Exits: settled.
        case settling(Settled)
        /// Its outcome is kept. Exits: it is forgotten.
        case settled(Settled)
    }

    var state: State
    var owner: DurableOwner
    /// The account that it is charged to.
    var account = AccountTable.own
    /// The place of its trigger.
    var origin: NodePath
    /// Bytes of its record, or of that of its outcome.
    var byteCount: Int
    /// Whether a session will ask for the outcome.
    var isOutcomeWanted = true
    /// The place of its outcome among those that are kept, once it is.
    var place: SharedRing<EventKey>.Place?
}

/// The user or key to which a durable event belongs, and whether its session proved its ID,
/// according to its records.
struct DurableOwner: Equatable, Sendable {
    var owner: Owner
    var isProven: Bool
    /// Records of release 0.1.0 contain neither the key nor whether the session had a secret.
    var isKeyKnown = true

    init(_ owner: Owner, isProven: Bool) {
        self.owner = owner
        self.isProven = isProven
    }

    /// Whether a peer with these credentials is the owner.
    func covers(_ other: Owner) -> Bool {
        isKeyKnown ? owner == other : owner.userID == other.userID
    }

    /// Reads the fields that ``write(to:)`` wrote, among others.
    init(fields: FieldReader) throws(WireError) {
        self.init(Owner(userID: .max), isProven: false)
        isKeyKnown = false
        var rest = fields
        while let field = try rest.next() {
            switch field.tag {
            case .userID: owner.userID = try field.integer()
            case .policyKey: owner.key = try field.text()
            case .isProven:
                isKeyKnown = true
                isProven = try field.integer(UInt8.self) != 0
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.userID, owner.userID)
        if let key = owner.key {
            fields.append(.policyKey, key)
        }
        if isKeyKnown {
            fields.append(.isProven, UInt8(isProven ? 1 : 0))
        }
    }
}

/// The order of one session's events while durable events of it are being written.
///
/// The journal answers all sessions in one sequence of numbers, but only the session's own numbers
/// count here: an event follows the durable events that its session triggered before, and waits
/// for no other session's.
struct DurableSequence: Sendable {
    /// The entry of the session's latest durable event.
    var lastNumber: UInt64 = 0
    /// Events in the order in which they were triggered, each with the entry it waits for. The
    /// numbers never fall, because ``lastNumber`` does not.
    private var followers: Deque<(event: EventIndex, number: UInt64)> = []

    mutating func append(_ event: EventIndex) {
        followers.append((event, lastNumber))
    }

    /// Removes and returns those that wait for no later entry than this one.
    mutating func take(behind number: UInt64) -> [EventIndex] {
        var taken: [EventIndex] = []
        while let first = followers.first, first.number <= number {
            taken.append(followers.removeFirst().event)
        }
        return taken
    }
}

/// The work that waits for the journal.
struct PendingWrite: Sendable {
    enum Subject: Sendable {
        /// A durable event of a session, to be accepted. It is identified by its index among the
        /// events under way.
        case event(EventIndex, session: SessionID)
        /// The outcome of a durable event, to be sent.
        case outcome(EventKey)
    }

    var subject: Subject
    /// The entry that has to be written first.
    var number: UInt64
}
