// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A verdict with the message it came in.
struct Answer {
    var code: VerdictCode
    /// Which of the visit's stops gave it; those before it passed.
    var stop: UInt16
    /// The number of the name that it gives the event: ``NameTable/none`` for a name without a
    /// number, `nil` if it gives none.
    var newName: NameIndex?
    /// That name, where the verdict has it as a text.
    var newText: EventName?
    /// What the responder threw, if it failed.
    var failure: Failure?
    /// The message itself, where it may travel on.
    var payload: Payload?

    /// What the message says of itself beside its header.
    var raised: Raised? {
        payload.flatMap { try? Raised(fields: $0.fieldReader) }
    }
}
