// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The origin of an event or publication: node, session and the session's sequence number.
struct Origin: Sendable {
    /// The place it comes from, pinned.
    var node = Hierarchy.root
    /// The peer that is told the outcome, if still connected.
    var peer = PeerID(index: 0, generation: 0)
    /// The number of the session, pinned.
    var session = SessionIndex.none
    var sequence: UInt64 = 0
    /// The number under which ``peer`` waits for the outcome. It differs from ``sequence`` if
    /// ``peer`` raises another peer's message again.
    var ticket: UInt64 = 0
    /// The account charged for what is kept of it.
    var account = AccountTable.own
}
