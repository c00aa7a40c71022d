// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A trigger or publication that was checked: what becomes an event's or publication's record.
struct RaisedMessage {
    var origin: Origin
    /// ``NameTable/none`` if the name has no number; then ``text`` has it.
    var name: NameIndex
    /// What it says beside its header, if anything.
    var words: RaisedWords?
    var flags: HeaderFlags
    var payload: Payload
    var deadline: Instant
    /// How long it may take, in milliseconds.
    var milliseconds: UInt32
    /// How many causes it has had.
    var causes: UInt16
    /// For how long it is to be held when nobody handles it; `nil` for not at all.
    var holdMilliseconds: UInt32?

    var text: EventName? {
        words?.raised.name
    }

    /// The nearest of its causes.
    var cause: EventID? {
        words?.raised.cause
    }

    var traceParent: TraceParent? {
        words?.raised.traceParent
    }

    var isDurable: Bool {
        flags.contains(.durable)
    }

    var isUnacknowledged: Bool {
        flags.contains(.unacknowledged)
    }
}
