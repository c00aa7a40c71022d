// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// One connection, with its messages in transit.
struct SimulatedConnection {
    let process: Int
    let incarnation: Int
    /// The process ID of the process at the worker's end.
    let processID: UInt32
    /// The daemon's number of the peer, once it has received a message.
    var peer: PeerID?
    /// Whether the daemon has ever received a message from it.
    var isEstablished = false
    var up = MessageQueue()
    var down = MessageQueue()
    /// Whether messages sent from now on are lost.
    var isBroken = false
    /// Whether the worker has closed its end.
    var isClosed = false
    /// The connection with which libzmq replaced this one after it broke; a new peer to the daemon.
    var successor: ConnectionID?
    /// Whether a message before one that arrived was lost.
    var hasLostMiddle = false
    /// The number of requests by the daemon to cut it; only the last one counts.
    var expulsions = 0
}
