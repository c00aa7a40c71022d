// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Who raised an event or publication: where, and as what number of which session.
struct Origin: Sendable {
    /// The place it comes from, pinned.
    var node = Hierarchy.root
    /// Who is told the outcome, if still there.
    var peer = PeerID(index: 0, generation: 0)
    /// The number of the session, pinned.
    var session = SessionIndex.none
    var sequence: UInt64 = 0
    /// The number under which ``peer`` waits for the outcome: another one than ``sequence`` where
    /// it raises again what somebody else had raised.
    var ticket: UInt64 = 0
    /// Who pays for what is kept of it.
    var account = AccountTable.own
}
