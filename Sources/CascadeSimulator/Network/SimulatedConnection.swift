// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// One connection, with what is on its way by it.
struct SimulatedConnection {
    let process: Int
    let incarnation: Int
    /// The process at its end, as the kernel numbers it.
    let processID: UInt32
    /// By what number the daemon knows it, once it has heard of it.
    var peer: PeerID?
    /// Whether the daemon has ever heard of it.
    var isEstablished = false
    var up = MessageQueue()
    var down = MessageQueue()
    /// Nothing that is sent from now on arrives.
    var isBroken = false
    /// The worker has closed its end.
    var isClosed = false
    /// By which libzmq goes on, unasked, after it has broken; the daemon takes it for a stranger.
    var heir: ConnectionID?
    /// Something that was sent before what has arrived is lost.
    var hasLostMiddle = false
    /// Counts the daemon's wishes to cut it; only the last one counts.
    var expulsions = 0
}
