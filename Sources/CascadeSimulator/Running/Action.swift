// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Something that is planned to happen at a time.
enum Action {
    /// Somebody does something, or something breaks.
    case tick(Int)
    /// Messages of a connection have come to its end.
    case arrive(ConnectionID, Direction)
    /// The daemon finds that a connection has ended.
    case daemonNotices(ConnectionID)
    /// The worker finds that its connection has ended.
    case workerNotices(ConnectionID)
    /// The daemon cuts the connection of a peer whose session it has ended.
    case expel(ConnectionID, expulsion: Int)
    case startDaemon
    case continueDaemon
    /// A visit that a planted bug kept back goes out.
    case sendKeptBack(Int)
    /// The journal of a daemon has written something.
    case writeJournal(incarnation: Int)
    case startProcess(Int)
    case continueProcess(Int)
    /// A process tries again to attach what was refused.
    case attachAgain(Int, incarnation: Int)
    /// A responder or subscription ends.
    case finish(Int, incarnation: Int, InvocationToken)
}
