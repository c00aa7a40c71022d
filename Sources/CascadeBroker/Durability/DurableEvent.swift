// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the bus knows of a durable event from its trigger until its origin has the outcome.
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
    /// Where it was raised.
    var origin: NodePath
    /// Bytes of its record, or of that of its outcome.
    var byteCount: Int
    /// Whether a session will ask for the outcome.
    var isOutcomeWanted = true
    /// The place of its outcome among those that are kept, once it is.
    var place: UInt32 = 0
}
