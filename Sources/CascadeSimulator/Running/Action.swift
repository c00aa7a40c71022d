// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An action that is planned for a time.
enum Action {
    /// One step of the workload and the faults.
    case tick(Int)
    /// Messages of a connection have arrived at its end.
    case arrive(ConnectionID, Direction)
    /// The daemon detects the end of a connection.
    case daemonNotices(ConnectionID)
    /// The worker detects the end of its connection.
    case workerNotices(ConnectionID)
    /// The daemon cuts the connection of a peer whose session it has ended.
    case expel(ConnectionID, expulsion: Int)
    case startDaemon
    case continueDaemon
    /// A visit that a planted bug delayed is sent.
    case sendDelayed(Int)
    /// The journal of a daemon writes a part of its entries.
    case writeJournal(incarnation: Int)
    case startProcess(Int)
    case continueProcess(Int)
    /// A process tries again to attach refused nodes.
    case attachAgain(Int, incarnation: Int)
    /// A responder or subscription ends.
    case finish(Int, incarnation: Int, InvocationToken)
}
