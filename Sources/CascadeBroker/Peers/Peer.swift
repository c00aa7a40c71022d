// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// One connection, and the session on it.
struct Peer: Sendable {
    enum State: Sendable {
        /// Nothing has been said. Exits: greeted, gone.
        case connected
        /// A session is on it. Exits: ended, gone.
        case greeted
        /// Its session broke the protocol or was superseded; what it says is not heard.
        /// Exits: gone.
        case ended
    }

    var generation: UInt32 = 0
    var state = State.ended
    var credentials = Credentials(processID: 0, userID: 0, groupID: 0)
    /// What policy says to it, and what it has been asked.
    var rights = PolicyRights.none
    var decisions: [PolicyQuestion: Bool] = [:]
    var program = ""
    /// Who pays for what it has.
    var account = AccountTable.own
    /// Whether the end of its process is told. If not, missing beats have to do.
    var isWatched = true
    /// Its number in the table of sessions, once it has greeted.
    var session = SessionIndex.none
    var nodes: [NodeIndex] = []
    /// What they declare, and the names that it has asked for.
    var declarationCount = 0

    var memory = SessionMemory()
    /// Triggers and publications that have not been given back, those due for it included.
    var creditUsed: UInt32 = 0
    /// Unacknowledged ones that are done with, and not yet given back.
    var creditDue: UInt32 = 0

    var knownNames = KnownNumbers()
    /// Those among them that it declares or has asked for.
    var declaredNames = KnownNumbers()
    var knownNodes = KnownNumbers()
    var knownSessions = KnownNumbers()

    /// The numbers in the last header it was sent: mostly those in the next one too.
    var lastIntroduced = Introduction()

    /// Numbers in a header that a peer has to know the meaning of.
    struct Introduction: Equatable, Sendable {
        var name = NameIndex.none
        var node = NodeIndex.none
        var session: SessionIndex?
    }

    var greetingDeadline = DeadlineQueue.none
    /// Beats it has not answered.
    var missedBeats = 0
    /// Leave requests that are done once their nodes are gone.
    var pendingLeaves = PendingLeaves()

    /// Whether it has been silent for so long that it counts as gone, where nothing else tells.
    var isGivenUp: Bool {
        !isWatched && missedBeats >= 10
    }

    var isResponsive: Bool {
        missedBeats < 3
    }
}
