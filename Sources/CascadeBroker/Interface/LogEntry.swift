// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What an administrator is told of. Only what a misbehaving peer or an administrator caused, and
/// the coming and going of nodes.
package enum LogEntry: Equatable, Sendable {
    case attached(NodePath, processID: UInt32)
    case left(NodePath)
    case lost(NodePath, processID: UInt32)
    case gone(NodePath)
    /// A node was told to stop, and why.
    case detached(NodePath, ErrorCode)
    case moved(NodePath, to: NodePath)
    /// Something passed a node that declares names, under one declared neither there nor below.
    case undeclared(NodePath, EventName)
    /// A node declares a name that no responder above it is for.
    case unhandled(NodePath, EventName)
    /// Rules need one another. It is said once, until rules change.
    case cycle(RuleCycle)
    case rulesLoaded(ruleCount: Int, fileCount: Int)
    /// A file is wrong, so nothing was taken of any; what was there before stays.
    case filesRefused(DaemonFileKind, sentence: String)
    case policyLoaded(ruleCount: Int, fileCount: Int)
    /// An event is quarantined, because too many sessions ended with it.
    case quarantined(EventID, EventName)
    /// What earlier daemons had kept of durable events.
    case journalRead(eventCount: Int, outcomeCount: Int, unreadableCount: Int)
    /// Nothing can be written, so no durable event is accepted; and everything is as before.
    case journalFailed(sentence: String)
    case journalMended
    /// What stood only in these places is lost; the files are kept.
    case journalDamaged(count: Int, evidence: [String])
    case unresponsive(processID: UInt32)
    case responsive(processID: UInt32)
    case violation(processID: UInt32, ErrorCode, sentence: String)
    case refused(processID: UInt32, ErrorCode, sentence: String)
}
