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
    /// What was on its way by a former connection comes by the new one.
    case staleMessage
    /// A process answers a visit twice.
    case secondVerdict
    /// A process never answers a visit.
    case missingVerdict
    /// A process gives back more credit than it had.
    case excessiveCredit
    /// A session sends what it had under way to a restarted daemon but for the first of it.
    case forgottenEvent
    /// The daemon does not send an outcome.
    case missingOutcome
    /// The daemon sends an outcome twice.
    case secondOutcome
    /// The daemon keeps a message that it was to release.
    case keptMessage
    /// The daemon never notices that a connection has ended.
    case unnoticedEnd
    /// The daemon hands a visit to another session.
    case misdirectedVisit
}
