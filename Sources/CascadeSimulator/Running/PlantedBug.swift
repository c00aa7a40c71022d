// SPDX-License-Identifier: Apache-2.0

/// A fault that violates a rule on purpose. The oracles must find it.
package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: - In the network

    /// The network delivers a message twice.
    case duplicatedMessage
    /// The network delivers a message before the one that was sent before it.
    case reorderedMessage
    /// The network loses a message, and the connection continues.
    case lostMessage
    /// Messages of a former connection arrive again on the new one.
    case staleMessage

    // MARK: - In a worker

    /// A process answers a visit twice.
    case secondVerdict
    /// A process never answers a visit.
    case lostVerdict
    /// A process answers another visit than the one that it received.
    case forgedVerdict
    /// A process returns more credit than it had.
    case excessiveCredit
    /// A session sends its pending messages to a restarted daemon, except for the first.
    case forgottenEvent
    /// A session does not mark a message that it sends again.
    case unmarkedEvent
    /// A session sends a message again under another number.
    case renumberedEvent
    /// A session resumes without one of its nodes.
    case forgottenNode
    /// A session resumes without the activations of its nodes.
    case forgottenRank
    /// A session resumes under another ID.
    case otherSession

    // MARK: - In the daemon: messages

    /// The daemon does not send an outcome.
    case missingOutcome
    /// The daemon sends an outcome twice.
    case secondOutcome
    /// The daemon sends an outcome to another peer.
    case misdirectedOutcome
    /// The daemon sends a reply to another request.
    case wrongReply
    /// The daemon refuses an event without an answer.
    case missingRefusal
    /// The daemon does not return credit.
    case missingCredit
    /// The daemon returns credit twice.
    case doubledCredit
    /// The daemon grants more credit than it has.
    case generousWelcome
    /// The daemon sends a message with the header that it was received with.
    case missingHeader
    /// The daemon sends a visit with another payload.
    case mixedPayload
    /// The daemon sends a visit to another session.
    case misdirectedVisit
    /// The daemon sends a visit to another node of the session.
    case wrongNode
    /// The daemon attributes an event to another session.
    case foreignEvent
    /// The daemon does not mark a redelivered visit.
    case unmarkedVisit
    /// An event visits its own origin first.
    case ownResponder
    /// The daemon sends a durable event to a node after later ones of its session.
    case overtakenDurable
    /// The daemon sends a node more messages than its prefetch allows.
    case overfilledNode

    // MARK: - In the daemon: tables and time

    /// The daemon does not free a message that the broker has released.
    case keptMessage
    /// The daemon releases the memory of a message that the broker may still need.
    case earlyRelease
    /// The daemon releases the memory of a message twice.
    case secondRelease
    /// The daemon removes a peer that does not read, but does not close its connection.
    case silentGivingUp
    /// The daemon never detects that a connection has ended.
    case unreportedEnd
    /// The daemon does not report to the broker that a process has exited.
    case unreportedExit
    /// No deadline ever passes.
    case sleepingClock
    /// Tables grow beyond their limits.
    case ignoredLimit
    /// The daemon never removes disconnected sessions.
    case endlessMemory

    // MARK: - In the environment

    /// The daemon does not report a change.
    case lostChange
    /// The daemon reports a change twice.
    case repeatedChange
    /// The daemon reports another value.
    case wrongValue
    /// The daemon does not load the rules.
    case forgottenRules
    /// The daemon confirms a value that a node set, but does not store it.
    case lostAssignment

    /// The name of the oracle that must find the bug; `nil` if the bug violates several rules at once, so
    /// that any oracle may find it first.
    package var oracle: String? {
        switch self {
        case .overtakenDurable: "order"
        case .secondVerdict: "verdict"
        case .unmarkedEvent, .unmarkedVisit: "repetition"
        case .forgottenRank: "activation"
        case .missingOutcome, .secondOutcome, .missingRefusal, .forgottenEvent: "outcome"
        case .excessiveCredit, .overfilledNode: "prefetch"
        case .missingCredit, .doubledCredit, .generousWelcome: "credit"
        case .wrongReply, .mixedPayload, .keptMessage, .earlyRelease, .secondRelease: "payload"
        case .misdirectedVisit: "stale session"
        case .ownResponder, .wrongNode: "path"
        case .unreportedExit: "succession"
        case .forgottenNode: "presence"
        case .ignoredLimit: "limit"
        case .lostVerdict, .endlessMemory: "settling"
        case .lostChange, .repeatedChange, .wrongValue, .forgottenRules, .lostAssignment:
            "environment"
        case .duplicatedMessage, .reorderedMessage, .lostMessage, .staleMessage, .forgedVerdict,
            .renumberedEvent, .otherSession, .misdirectedOutcome, .missingHeader, .foreignEvent,
            .silentGivingUp, .unreportedEnd, .sleepingClock:
            nil
        }
    }

    /// Returns whether the findings prove the bug: one of them comes from the oracle that must find it.
    package func isShown(by findings: [Finding]) -> Bool {
        findings.contains { oracle == nil || $0.oracle == oracle }
    }

    /// The probability, in percent, that the bug takes effect at each opportunity.
    var percent: Int {
        switch self {
        case .unreportedEnd, .unreportedExit, .silentGivingUp, .missingRefusal, .unmarkedVisit,
            .generousWelcome,
            .overfilledNode, .sleepingClock, .ignoredLimit, .endlessMemory, .forgottenRules:
            100
        case .staleMessage, .excessiveCredit, .forgottenEvent, .missingCredit, .doubledCredit,
            .unmarkedEvent, .renumberedEvent, .forgottenNode, .forgottenRank, .otherSession,
            .overtakenDurable:
            50
        case .ownResponder, .lostAssignment, .wrongReply: 20
        default: 5
        }
    }
}
