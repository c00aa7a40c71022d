// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// A trigger or publication and its origin: the common part of the records of events and
/// publications.
struct Message: Sendable {
    private(set) var origin = Origin()
    /// ``NameTable/none`` if the name has no number; then ``text`` has it.
    private(set) var name = NameIndex.none
    /// The fields that it was raised with, if any: its attributes, cause and trace context, passed
    /// on unchanged.
    private(set) var words: MessageFields?
    private(set) var flags: HeaderFlags = []
    private(set) var payload = Payload.empty
    private(set) var deadline = Instant(nanoseconds: 0)
    /// How long it may take, in milliseconds.
    private(set) var milliseconds: UInt32 = 0
    /// How many causes it has had.
    private(set) var causes: UInt16 = 0
    /// For how long it is to be held without a handler; `nil` for not at all.
    private(set) var holdMilliseconds: UInt32?
    /// Whether it is a request that inspects other buses, which only nodes that connect one answer.
    private(set) var isInspection = false

    /// The policy's verb for it, if it goes up.
    var verb: PolicyVerb {
        isInspection ? .inspect : .trigger
    }

    var text: EventName? {
        words?.text
    }

    /// The nearest of its causes.
    var cause: EventID? {
        words?.raised.cause
    }

    /// Whether a node has raised it for another bus, where it has its home.
    var isForeign: Bool {
        words?.raised.raisedAs != nil
    }

    /// The trace context that it was raised within.
    var traceParent: TraceParent? {
        words?.raised.traceParent
    }

    var isDurable: Bool {
        flags.contains(.durable)
    }

    var isUnacknowledged: Bool {
        flags.contains(.unacknowledged)
    }

    /// Goes on with this name and payload; the origin, the attributes and the limits stay.
    mutating func become(_ name: NameIndex, _ text: EventName?, _ payload: Payload) {
        self.name = name
        self.payload = payload
        if self.text != text {
            words = MessageFields(words, renamed: text)
        }
    }

    /// Makes the event durable: it is held until a node has handled it, and survives the exit of a
    /// node during its visit.
    ///
    /// - Parameter milliseconds: the time for which it is held if it names none.
    mutating func becomeDurable(heldFor milliseconds: UInt32) {
        flags.insert(.passOnLoss)
        holdMilliseconds = holdMilliseconds ?? milliseconds
    }

    /// Some node may have begun with it before.
    mutating func markSentAgain() {
        flags.insert(.sentAgain)
    }

    /// The session of its origin has another connection, which waits for the outcome.
    mutating func adopt(by peer: PeerID) {
        origin.peer = peer
    }

    /// Looks up the number of a name that had none when the message was raised.
    @inline(__always)
    mutating func resolveName(in names: NameTable) {
        if name == NameIndex.none, let text {
            name = names.existingNumber(of: text) ?? NameIndex.none
        }
    }

    mutating func extend(until deadline: Instant) {
        self.deadline = deadline
    }

    /// Clears the references of a record that becomes free. Returns its payload.
    mutating func clear() -> Payload {
        words = nil
        var cleared = Payload.empty
        swap(&cleared, &payload)
        return cleared
    }
}

/// The origin of an event or publication: node, session and the session's sequence number.
struct Origin: Sendable {
    /// The place it comes from, pinned.
    var node = Hierarchy.root
    /// The peer that receives the outcome, if still connected.
    var peer = PeerID(index: 0, generation: 0)
    /// The number of the session, pinned.
    var session = SessionIndex.none
    var sequence: UInt64 = 0
    /// The number under which ``peer`` waits for the outcome. It differs from ``sequence`` if
    /// ``peer`` raises another peer's message again.
    var ticket: UInt64 = 0
    /// The account charged for the stored message.
    var account = AccountTable.own
}

/// Fields that few triggers and publications have beside their headers. The others, and their
/// records, store only the reference.
final class MessageFields: Sendable {
    let raised: RaisedFields
    /// The name that the message has now, where it has one as a text.
    let text: EventName?

    init(_ raised: RaisedFields) {
        self.raised = raised
        text = raised.name
    }

    /// The words of a message that is called otherwise now.
    init(_ former: MessageFields?, renamed text: EventName?) {
        raised = former?.raised ?? RaisedFields()
        self.text = text
    }
}
