// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// An item of `monitor`: something that occurred on the bus.
struct MonitorEvent: Sendable {
    /// The kind of occurrence. The documents of monitor events have the names of the cases.
    enum What: String {
        // Of messages.
        case triggered, ended, published, delivered
        /// An event without a handler is kept or held, starts again, or is kept no longer.
        case kept, retried, forgotten

        // Of the tree.
        case attached, declared, left, lost, gone, detached, moved, activated, deactivated
        case unresponsive, responsive

        // Of the environment.
        case set, unset, changed, preferred, cycle, rulesLoaded, rulesRefused

        // For administrators.
        case policyLoaded, configurationRefused, policyRefused, keysRefused
        case undeclared, unhandled, quarantined, violation, refused, dropped, sampled
        case journalRead, journalFailed, journalMended, journalDamaged
        case move, drain, detach, clearRetained, clearUndelivered
    }

    let what: What
    var when = Instant(nanoseconds: 0)
    var path: NodePath?
    var name: EventName?
    var id: EventID?
    var lane: Lane?
    var outcome: OutcomeCode?
    var by: NodePath?
    /// Other places that it concerns: the recipients of a publication.
    var paths: [NodePath]?
    var failure: Failure?
    var cause: EventID?
    /// Whether a retained publication went to a later subscriber.
    var isRetained = false
    /// The first place whose responders could be asked about a message.
    var start: NodePath?
    /// The destination of a publication.
    var destination: PublishingDestination?
    /// The content of the message: payload, attributes, an error's text. Empty if no monitor
    /// requested it.
    var content: [JSONValue.Member] = []
    var processID: UInt32?
    /// The reason why a node was detached.
    var reason: ErrorCode?
    /// The path before a move.
    var formerPath: NodePath?
    /// A further sentence, and the places that it and the error may disclose.
    var message: String?
    var mentions = Mentions.anything
    var count: UInt64?
    /// When a message began, and its visits; `nil` if no monitor requested them.
    var begun: Instant?
    var trail: [VisitRecord]?
    var omittedVisitCount: UInt32 = 0
    /// How many monitor events were left out, by the outcome of their messages.
    var leftOut: MonitorBudget.LeftOut?
    /// The account of the user who caused it; `nil` for that of the input.
    var account: AccountIndex?

    init(_ what: What, path: NodePath? = nil, name: EventName? = nil) {
        self.what = what
        self.path = path
        self.name = name
    }

    var kind: MonitorEventKind {
        switch what {
        case .triggered, .ended, .published, .delivered, .kept, .retried, .forgotten:
            switch lane {
            case nil: .publish
            case .error: .error
            case .event, .request, .cascade: .event
            }
        case .attached, .declared, .left, .lost, .gone, .detached, .moved, .activated,
            .deactivated, .unresponsive, .responsive:
            .topology
        case .set, .unset, .changed, .preferred, .cycle, .rulesLoaded, .rulesRefused: .env
        case .policyLoaded, .configurationRefused, .policyRefused, .keysRefused, .undeclared,
            .unhandled, .quarantined, .violation, .refused, .dropped, .sampled, .journalRead,
            .journalFailed,
            .journalMended, .journalDamaged, .move, .drain, .detach, .clearRetained,
            .clearUndelivered:
            .admin
        }
    }

    /// Whether a viewer may see any part of it.
    func isVisible(to viewer: inout Viewer) -> Bool {
        viewer.sees(path ?? .root)
    }

    /// The sentence in place of a message that is hidden; `nil` for none.
    private var publicMessage: String? {
        what == .policyRefused
            ? "the policy has an error, which the daemon's log names; it is hidden from a user who "
                + "may not inspect every path" : nil
    }

    func document(at clock: WallClock, for viewer: inout Viewer) -> JSONValue {
        let message = viewer.sees(mentions) ? message : publicMessage
        let document = JSONValue.document(
            "monitor",
            [
                "when": .text(clock.time(when)),
                "kind": .string(kind.name),
                "what": .string(what.name),
                "path": viewer.place(path),
                "name": name.map { .text($0) },
                "id": id.map { .text($0) },
                "lane": lane.map { .string($0.name) },
                "outcome": outcome.map { .string($0.name) },
                "by": viewer.place(by),
                "paths": paths.map { viewer.places($0) },
                "error": viewer.failure(failure, mentions),
                "cause": cause.map { .text($0) },
                "start": viewer.place(start),
                "to": destination.map { .string($0.name) },
                "retained": isRetained ? true : nil,
                "pid": processID.map { .integer($0) },
                "reason": reason.map { .string("\($0)") },
                "from": viewer.place(formerPath),
                "message": message.map { .string($0) },
                "count": count.map { .integer($0) },
                "begun": begun.map { .text(clock.time($0)) },
                "trail": trail.map { viewer.trail($0) },
                "omittedVisits": omittedVisitCount == 0 ? nil : .integer(omittedVisitCount),
                "leftOut": leftOut?.json,
            ])
        guard !content.isEmpty, case .object(let members) = document else {
            return document
        }
        return .object(members + content)
    }
}

extension MonitorEvent {
    /// The rendering of a log entry for monitors.
    init(of entry: LogEntry) {
        switch entry {
        case .attached(let path, let process):
            self.init(.attached, path: path)
            processID = process
        case .left(let path): self.init(.left, path: path)
        case .lost(let path, let process):
            self.init(.lost, path: path)
            processID = process
        case .cycle(let cycle):
            self.init(.cycle, name: cycle.keys.first)
            message = cycle.description
        case .rulesLoaded(let ruleCount, let fileCount):
            self.init(.rulesLoaded)
            message = "rules: \(ruleCount), files: \(fileCount)"
            mentions = .nothing
        case .filesRefused(let kind, let sentence):
            self.init(What(refusalOf: kind))
            message = sentence
            // The words may quote the policy, whose rules about hidden places are hidden.
            mentions = kind == .policy ? .anything : .nothing
        case .policyLoaded(let ruleCount, let fileCount):
            self.init(.policyLoaded)
            message = "rules: \(ruleCount), files: \(fileCount)"
            mentions = .nothing
        case .gone(let path): self.init(.gone, path: path)
        case .detached(let path, let why):
            self.init(.detached, path: path)
            reason = why
        case .moved(let former, let path):
            self.init(.moved, path: path)
            formerPath = former
        case .undeclared(let path, let name):
            self.init(.undeclared, path: path, name: name)
        case .unhandled(let path, let name):
            self.init(.unhandled, path: path, name: name)
        case .quarantined(let id, let name):
            self.init(.quarantined, name: name)
            message = id.description
            mentions = .nothing
        case .journalRead(let events, let outcomes, let unreadable):
            self.init(.journalRead)
            message = "events: \(events), outcomes: \(outcomes), unreadable: \(unreadable)"
            mentions = .nothing
        case .journalFailed(let sentence):
            self.init(.journalFailed)
            message = sentence
        case .journalMended: self.init(.journalMended)
        case .journalDamaged(let damaged, let evidence):
            self.init(.journalDamaged)
            count = UInt64(damaged)
            message = evidence.joined(separator: ", ")
            mentions = .nothing
        case .unresponsive(let process):
            self.init(.unresponsive)
            processID = process
        case .responsive(let process):
            self.init(.responsive)
            processID = process
        case .violation(let process, let code, let sentence):
            self.init(.violation)
            processID = process
            failure = Failure(code, message: sentence)
        case .refused(let process, let code, let sentence):
            self.init(.refused)
            processID = process
            failure = Failure(code, message: sentence)
        }
    }
}

extension MonitorEvent.What {
    /// As documents have it. What a node declares changes, and so does a value: their kinds differ.
    fileprivate var name: String {
        self == .declared ? Self.changed.rawValue : rawValue
    }

    fileprivate init(refusalOf kind: DaemonFileKind) {
        switch kind {
        case .configuration: self = .configurationRefused
        case .policy: self = .policyRefused
        case .rules: self = .rulesRefused
        case .keys: self = .keysRefused
        }
    }
}

extension TraceRecord {
    private func monitorEvent(_ what: MonitorEvent.What, at when: Instant) -> MonitorEvent {
        var monitorEvent = MonitorEvent(what, path: origin, name: name)
        monitorEvent.when = when
        monitorEvent.id = id
        monitorEvent.lane = lane
        monitorEvent.cause = cause
        return monitorEvent
    }

    /// The monitor event of its trigger or publication.
    var startEvent: MonitorEvent {
        monitorEvent(lane == nil ? .published : .triggered, at: begun)
    }

    /// The monitor event of its end.
    var endEvent: MonitorEvent {
        let isDelivered = lane == nil && outcome == .delivered
        var monitorEvent = monitorEvent(isDelivered ? .delivered : .ended, at: ended)
        monitorEvent.outcome = outcome
        monitorEvent.by = by
        monitorEvent.failure = failure
        monitorEvent.paths = lane == nil || lane == .cascade ? paths : nil
        // A verdict's words are passed on by all above it.
        monitorEvent.mentions = .places(trail.map(\.path))
        return monitorEvent
    }

    /// The monitor event of its end, for a monitor that gets nothing of the message before.
    var endEventWithTrail: MonitorEvent {
        endEvent.with(self)
    }
}

extension MonitorEvent {
    /// Returns the monitor event with the beginning and the visits of its message.
    func with(_ record: TraceRecord) -> MonitorEvent {
        var monitorEvent = self
        monitorEvent.begun = record.begun
        monitorEvent.trail = record.lane == nil ? nil : record.trail
        monitorEvent.omittedVisitCount = record.omittedVisitCount
        return monitorEvent
    }
}
