// SPDX-License-Identifier: Apache-2.0

/// A fault that the promises do not allow, put in on purpose: whoever checks the promises has to
/// find it.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// The network delivers a message twice.
    case duplicatedMessage
    /// The network delivers a message before the one that was sent before it.
    case reorderedMessage
    /// The network loses a message, and the connection goes on.
    case lostMessage
    /// What came by a former connection comes once more by the new one.
    case staleMessage
    /// A process answers a visit twice.
    case secondVerdict
    /// A process gives back more credit than it had.
    case excessiveCredit
    /// A session sends what it had under way to a restarted daemon but for the first of it.
    case forgottenEvent
    /// The daemon does not send an outcome.
    case missingOutcome
    /// The daemon sends an outcome twice.
    case secondOutcome
    /// The daemon does not say that it refuses an event.
    case missingRefusal
    /// The daemon does not give back credit.
    case missingCredit
    /// The daemon sends a message with the header that it came with.
    case missingHeader
    /// The daemon keeps a message that it was to release.
    case keptMessage
    /// The daemon releases a message while it may still be needed.
    case earlyRelease
    /// The daemon gives up a peer that does not read, and never lets it know.
    case silentGivingUp
    /// The daemon never notices that a connection has ended.
    case unnoticedEnd
    /// The daemon hands a visit to another session.
    case misdirectedVisit

    /// How often it shows where it can, in percent.
    var percent: Int {
        switch self {
        case .unnoticedEnd, .silentGivingUp, .missingRefusal: 100
        case .staleMessage, .excessiveCredit, .forgottenEvent, .missingCredit: 50
        default: 5
        }
    }
}
