// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What a trigger or publication says, and where it comes from: the part that the records of events
/// and publications have in common.
struct Message: Sendable {
    var origin = Origin()
    /// ``NameTable/none`` if the name has no number; then ``text`` has it.
    var name = NameIndex.none
    /// The fields that it was raised with, if any: its attributes, cause and trace context, which
    /// go wherever it goes.
    private(set) var words: RaisedWords?
    var flags: HeaderFlags = []
    private(set) var payload = Payload.empty
    var deadline = Instant(nanoseconds: 0)
    /// How long it may take, in milliseconds.
    var milliseconds: UInt32 = 0
    /// How many causes it has had.
    var causes: UInt16 = 0
    /// For how long it is to be held without a handler; `nil` for not at all.
    var holdMilliseconds: UInt32?

    var text: EventName? {
        words?.text
    }

    /// The nearest of its causes.
    var cause: EventID? {
        words?.raised.cause
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
            words = RaisedWords(words, renamed: text)
        }
    }

    /// Releases what it refers to: its record is free.
    mutating func clear() {
        payload = .empty
        words = nil
    }
}
