// SPDX-License-Identifier: Apache-2.0

/// A fault that the promises do not allow, put in on purpose: whoever checks the promises has to
/// find it.
package enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: - Of the network

    /// The network delivers a message twice.
    case duplicatedMessage
    /// The network delivers a message before the one that was sent before it.
    case reorderedMessage
    /// The network loses a message, and the connection goes on.
    case lostMessage
    /// What came by a former connection comes once more by the new one.
    case staleMessage

    // MARK: - Of a worker

    /// A process answers a visit twice.
    case secondVerdict
    /// A process never answers a visit.
    case lostVerdict
    /// A process answers another visit than the one that it was handed.
    case forgedVerdict
    /// A process gives back more credit than it had.
    case excessiveCredit
    /// A session sends what it had under way to a restarted daemon but for the first of it.
    case forgottenEvent
    /// A session does not say that it sends again.
    case unmarkedEvent
    /// A session sends again under another number.
    case renumberedEvent
    /// A session comes back without one of its nodes.
    case forgottenNode
    /// A session comes back without the order of its nodes.
    case forgottenRank
    /// A session comes back under another ID.
    case otherSession

    // MARK: - Of the daemon: messages

    /// The daemon does not send an outcome.
    case missingOutcome
    /// The daemon sends an outcome twice.
    case secondOutcome
    /// The daemon sends an outcome to somebody else.
    case misdirectedOutcome
    /// The daemon sends a reply to another request.
    case wrongReply
    /// The daemon does not say that it refuses an event.
    case missingRefusal
    /// The daemon does not give back credit.
    case missingCredit
    /// The daemon gives credit back twice.
    case doubledCredit
    /// The daemon grants more credit than it has.
    case generousWelcome
    /// The daemon sends a message with the header that it came with.
    case missingHeader
    /// The daemon sends a visit with another payload.
    case mixedPayload
    /// The daemon hands a visit to another session.
    case misdirectedVisit
    /// The daemon hands a visit to another node of the session.
    case wrongNode
    /// The daemon says that an event is another session's.
    case foreignEvent
    /// The daemon does not say that a visit may have been there before.
    case unmarkedVisit
    /// The daemon asks who raised an event.
    case ownResponder
    /// The daemon hands a durable event to a node behind what its session raised later.
    case overtakenDurable
    /// The daemon sends a node more than there is room for.
    case overfilledNode

    // MARK: - Of the daemon: tables and time

    /// The daemon keeps a message that the broker has let go of.
    case keptMessage
    /// The daemon gives the memory of a message away while the broker may still need it.
    case earlyRelease
    /// The daemon gives the memory of a message away twice.
    case secondRelease
    /// The daemon gives up a peer that does not read, and never lets it know.
    case silentGivingUp
    /// The daemon never notices that a connection has ended.
    case unnoticedEnd
    /// No deadline ever comes.
    case sleepingClock
    /// Tables grow beyond their limits.
    case ignoredLimit
    /// The daemon waits for sessions for ever.
    case endlessMemory

    // MARK: - Of the environment

    /// The daemon does not tell a change.
    case lostChange
    /// The daemon tells a change twice.
    case repeatedChange
    /// The daemon tells another value.
    case wrongValue
    /// The daemon does not load the rules.
    case forgottenRules
    /// The daemon says that it has what a node set, and does not.
    case lostAssignment

    /// The oracle that has to find it; `nil` where it breaks several promises at once, and which of
    /// them shows first is chance.
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
        case .forgottenNode: "presence"
        case .ignoredLimit: "limit"
        case .lostVerdict, .endlessMemory: "settling"
        case .lostChange, .repeatedChange, .wrongValue, .forgottenRules, .lostAssignment:
            "environment"
        case .duplicatedMessage, .reorderedMessage, .lostMessage, .staleMessage, .forgedVerdict,
            .renumberedEvent, .otherSession, .misdirectedOutcome, .missingHeader, .foreignEvent,
            .silentGivingUp, .unnoticedEnd, .sleepingClock:
            nil
        }
    }

    /// Whether these findings show it: one of them is of the oracle that has to find it.
    package func isShown(by findings: [Finding]) -> Bool {
        findings.contains { oracle == nil || $0.oracle == oracle }
    }

    /// How often it shows where it can, in percent.
    var percent: Int {
        switch self {
        case .unnoticedEnd, .silentGivingUp, .missingRefusal, .unmarkedVisit, .generousWelcome,
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
