// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A verdict with the message it came in.
struct Answer {
    var verdict: Verdict
    /// The number of the name that it gives the event: ``NameTable/none`` for a name without a
    /// number, `nil` if it gives none.
    var newName: NameIndex?
    /// The answer's fields beside its header, where a peer or the broker has to read them.
    var fields: [UInt8]
    /// The message itself, where it may travel on.
    var payload: Payload?

    /// What the payload is; `nil` for JSON.
    var contentType: String? {
        (try? Raised(fields: FieldReader(fields)))?.contentType
    }
}
