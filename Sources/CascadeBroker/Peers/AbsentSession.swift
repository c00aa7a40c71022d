// SPDX-License-Identifier: Apache-2.0

/// A session whose connection has ended, and that may come back on another one.
struct AbsentSession: Sendable {
    /// The connection that it had. What it has under way bears its name.
    var peer: PeerID
    /// The number of the session, pinned.
    var number: SessionIndex
    var owner: Owner
    /// Who pays for it.
    var account: AccountIndex
    /// Its place among those that are waited for.
    var place: UInt32 = 0
    var memory: SessionMemory
    /// Until when it is waited for.
    var until: Instant
    var deadline = DeadlineQueue.none
}
