// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A trigger or publication that was checked: what becomes an event's or publication's record.
struct RaisedMessage {
    var origin: Origin
    /// ``NameTable/none`` if the name has no number; then ``text`` has it.
    var name: UInt32
    var text: EventName?
    var flags: HeaderFlags
    var payload: PayloadID
    var fieldsLength: UInt32
    var deadline: Instant
    /// How long it may take, in milliseconds.
    var milliseconds: UInt32
    /// How many causes it has had, and the nearest.
    var causes: UInt16
    var cause: EventID?
    var traceParent: TraceParent?
    /// For how long it is to be held when nobody handles it; `nil` for not at all.
    var holdMilliseconds: UInt32?

    var isDurable: Bool {
        flags.contains(.durable)
    }

    var isUnacknowledged: Bool {
        flags.contains(.unacknowledged)
    }
}
