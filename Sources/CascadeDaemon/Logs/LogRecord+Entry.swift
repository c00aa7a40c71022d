// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
import CascadeWire
import Logging

/// The rendering of the broker's log entries as text and fields.
extension LogRecord {
    package init(_ entry: LogEntry) {
        switch entry {
        case .undeclared(let path, let name):
            self.init(
                .warning, .undeclared,
                "\(name) passed \(path), and is declared neither there nor below",
                [.node: "\(path)", .event: "\(name)"])
        case .unhandled(let path, let name):
            self.init(
                .warning, .unhandled,
                "\(path) declares \(name), and no responder above it is for that name",
                [.node: "\(path)", .event: "\(name)"])
        case .cycle(let cycle):
            self.init(
                .warning, .ruleCycle,
                "rules need one another, so these keys have no value: \(cycle)",
                [.rule: "\(cycle)"])
        case .rulesLoaded(let ruleCount, let fileCount):
            self.init(.info, .rulesLoaded, "rules loaded: \(ruleCount) (files: \(fileCount))")
        case .policyLoaded(let ruleCount, let fileCount):
            self.init(
                .info, .policyLoaded, "policy loaded: \(ruleCount) rules (files: \(fileCount))")
        case .filesRefused(let kind, let sentence):
            self.init(.error, kind.refusalLogKind, "\(sentence); the previous files stay in force")
        case .violation(let process, let code, let sentence):
            self.init(
                .warning, .violation,
                "session of process \(process) ended: \(sentence) (\(code))",
                [.error: "\(code)", .peerProcess: "\(process)"])
        case .refused(let process, let code, let sentence):
            self.init(
                .notice, code == .limitReached ? .limitReached : .refused,
                "process \(process) refused: \(sentence) (\(code))",
                [.error: "\(code)", .peerProcess: "\(process)"])
        case .unresponsive(let process):
            self.init(
                .warning, .unresponsive,
                "process \(process) has missed three beats and is unresponsive",
                [.peerProcess: "\(process)"])
        case .responsive(let process):
            self.init(
                .info, .responsive, "process \(process) responds again",
                [.peerProcess: "\(process)"])
        case .attached(let path, let process):
            self.init(
                .info, .attached, "\(path) attached by process \(process)",
                [.node: "\(path)", .peerProcess: "\(process)"])
        case .lost(let path, let process):
            self.init(
                .warning, .lost, "\(path) lost: process \(process) has gone",
                [.node: "\(path)", .peerProcess: "\(process)"])
        case .quarantined(let id, let name):
            self.init(
                .error, .quarantined,
                "\(name) \(id) is in quarantine: several sessions ended while they worked on it",
                [.event: "\(name)", .eventID: "\(id)"])
        case .journalRead(let eventCount, let outcomeCount, let unreadableCount):
            let words = "durable events: \(eventCount) go on, \(outcomeCount) outcomes are kept"
            if unreadableCount == 0 {
                self.init(.info, .journalRead, words)
            } else {
                self.init(
                    .error, .journalRead,
                    "\(words); unreadable records of the journal: \(unreadableCount)")
            }
        case .journalFailed(let sentence):
            self.init(
                .error, .journalFailed,
                "\(sentence); durable events are refused until it can be written again")
        case .journalMended:
            self.init(.info, .journalMended, "the journal can be written again")
        case .journalDamaged(let count, let evidence):
            self.init(
                .error, .journalDamaged,
                """
                the journal is damaged in \(count) places, and what was stored only there is lost; \
                kept to be looked at: \(evidence.joined(separator: ", "))
                """)
        case .left(let path):
            self.init(.info, .left, "\(path) left", [.node: "\(path)"])
        case .gone(let path):
            self.init(
                .info, .gone, "\(path) gone: its grace time has passed", [.node: "\(path)"])
        case .detached(let path, let reason):
            self.init(
                .info, .detached, "\(path) was told to stop (\(reason))",
                [.node: "\(path)", .error: "\(reason)"])
        case .moved(let path, let destination):
            self.init(
                .info, .moved, "\(path) is at \(destination) now", [.node: "\(destination)"])
        }
    }
}

extension DaemonFileKind {
    fileprivate var refusalLogKind: LogKind {
        switch self {
        case .configuration: .configurationRefused
        case .policy: .policyRefused
        case .rules: .rulesRefused
        case .keys: .keysRefused
        }
    }
}
