// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The latest monitor events, except those of events and publications, which are in the trace ring,
/// as far back as there is room.
struct MonitorEventRing: Sendable {
    /// Most entries are never read, so entries of the log are stored unchanged.
    enum Entry: Sendable {
        case logged(LogEntry, at: Instant, NodePath?)
        case other(MonitorEvent)
    }

    private var ring = SharedRing<Entry>()

    var count: Int {
        ring.count
    }

    /// - Parameter account: The account that caused the event.
    mutating func insert(
        _ entry: Entry, by account: AccountIndex, limit: UInt32, _ accounts: inout AccountTable
    ) {
        if let place = ring.append(for: account, in: .monitorEvents, limit: limit, &accounts, entry)
        {
            ring[place] = entry
        }
    }

    /// Holds to a limit that was lowered.
    mutating func shrink(to limit: UInt32, _ accounts: inout AccountTable) {
        ring.shrink(to: limit, .monitorEvents, &accounts)
        ring.compact()
    }

    /// The monitor events, the oldest first.
    var all: [MonitorEvent] {
        ring.elements.map { entry in
            switch entry {
            case .logged(let entry, let instant, let path):
                var monitorEvent = MonitorEvent(entry)
                monitorEvent.when = instant
                monitorEvent.path = path ?? monitorEvent.path
                return monitorEvent
            case .other(let monitorEvent): return monitorEvent
            }
        }
    }
}

extension MonitorEvent {
    /// The rendering of a log entry for monitors.
    init(_ entry: LogEntry) {
        switch entry {
        case .attached(let path, let process):
            self.init(.topology, "attached", path: path)
            processID = process
        case .left(let path): self.init(.topology, "left", path: path)
        case .lost(let path, let process):
            self.init(.topology, "lost", path: path)
            processID = process
        case .cycle(let cycle):
            self.init(.env, "cycle", name: cycle.keys.first)
            message = cycle.description
        case .rulesLoaded(let ruleCount, let fileCount):
            self.init(.env, "rulesLoaded")
            message = "rules: \(ruleCount), files: \(fileCount)"
            mentions = .nothing
        case .filesRefused(let kind, let sentence):
            self.init(kind == .rules ? .env : .admin, kind.refusal)
            message = sentence
        case .policyLoaded(let ruleCount, let fileCount):
            self.init(.admin, "policyLoaded")
            message = "rules: \(ruleCount), files: \(fileCount)"
            mentions = .nothing
        case .gone(let path): self.init(.topology, "gone", path: path)
        case .detached(let path, let why):
            self.init(.topology, "detached", path: path)
            reason = why
        case .moved(let former, let path):
            self.init(.topology, "moved", path: path)
            formerPath = former
        case .undeclared(let path, let name):
            self.init(.admin, "undeclared", path: path, name: name)
        case .unhandled(let path, let name):
            self.init(.admin, "unhandled", path: path, name: name)
        case .quarantined(let id, let name):
            self.init(.admin, "quarantined", name: name)
            message = id.description
            mentions = .nothing
        case .journalRead(let events, let outcomes, let unreadable):
            self.init(.admin, "journalRead")
            message = "events: \(events), outcomes: \(outcomes), unreadable: \(unreadable)"
            mentions = .nothing
        case .journalFailed(let sentence):
            self.init(.admin, "journalFailed")
            message = sentence
        case .journalMended: self.init(.admin, "journalMended")
        case .journalDamaged(let damaged, let evidence):
            self.init(.admin, "journalDamaged")
            count = UInt64(damaged)
            message = evidence.joined(separator: ", ")
            mentions = .nothing
        case .unresponsive(let process):
            self.init(.topology, "unresponsive")
            processID = process
        case .responsive(let process):
            self.init(.topology, "responsive")
            processID = process
        case .violation(let process, let code, let sentence):
            self.init(.admin, "violation")
            processID = process
            failure = Failure(code, message: sentence)
        case .refused(let process, let code, let sentence):
            self.init(.admin, "refused")
            processID = process
            failure = Failure(code, message: sentence)
        }
    }
}
