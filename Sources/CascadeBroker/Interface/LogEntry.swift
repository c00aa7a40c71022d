// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An entry of the administrator's log: faults that a peer or an administrator caused, and the
/// attaching and leaving of nodes.
package enum LogEntry: Equatable, Sendable {
    case attached(NodePath, processID: UInt32)
    case left(NodePath)
    case lost(NodePath, processID: UInt32)
    case gone(NodePath)
    /// A node was detached, for this reason.
    case detached(NodePath, ErrorCode)
    case moved(NodePath, to: NodePath)
    /// A message passed a node that declares names, and its name is declared neither there nor below.
    case undeclared(NodePath, EventName)
    /// A node declares a name that no responder above it is for.
    case unhandled(NodePath, EventName)
    /// Rules need one another. Each cycle is logged once until rules change.
    case cycle(RuleCycle)
    case rulesLoaded(ruleCount: Int, fileCount: Int)
    /// A file is invalid, so none was applied; the previous ones stay in force.
    case filesRefused(DaemonFileKind, sentence: String)
    case policyLoaded(ruleCount: Int, fileCount: Int)
    /// An event is quarantined, because too many sessions ended with it.
    case quarantined(EventID, EventName)
    /// The durable events and outcomes read from the journal of previous daemons.
    case journalRead(eventCount: Int, outcomeCount: Int, unreadableCount: Int)
    /// The journal cannot be written, so no durable event is accepted.
    case journalFailed(sentence: String)
    /// The journal can be written again.
    case journalMended
    /// Records in these places are lost; the damaged files are kept.
    case journalDamaged(count: Int, evidence: [String])
    case unresponsive(processID: UInt32)
    case responsive(processID: UInt32)
    case violation(processID: UInt32, ErrorCode, sentence: String)
    case refused(processID: UInt32, ErrorCode, sentence: String)
}

extension LogEntry {
    /// The state of the files that administrators edit, for the status of the service.
    package enum FileStatus: Equatable, Sendable {
        case loaded
        /// A file is invalid for the reason in the sentence.
        case refused(sentence: String)
    }

    /// The status of the files after this entry; `nil` if it is about something else.
    package var fileStatus: FileStatus? {
        switch self {
        // A reload loads the rules last.
        case .rulesLoaded: .loaded
        case .filesRefused(_, let sentence): .refused(sentence: sentence)
        case .policyLoaded, .attached, .left, .lost, .gone, .detached, .moved, .undeclared,
            .unhandled, .cycle, .quarantined, .journalRead, .journalFailed, .journalMended,
            .journalDamaged, .unresponsive, .responsive, .violation, .refused:
            nil
        }
    }
}
