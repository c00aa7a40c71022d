// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// An item of `monitor`: something that occurred on the bus.
struct MonitorEvent: Sendable {
    var when = Instant(nanoseconds: 0)
    var kind: MonitorEventKind
    var what: String
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
    /// The account of the user who caused it; `nil` for that of the input.
    var account: AccountIndex?

    init(_ kind: MonitorEventKind, _ what: String, path: NodePath? = nil, name: EventName? = nil) {
        self.kind = kind
        self.what = what
        self.path = path
        self.name = name
    }

    /// Whether a viewer may see any part of it.
    func isVisible(to viewer: inout Viewer) -> Bool {
        viewer.sees(path ?? .root)
    }

    func document(at clock: WallClock, for viewer: inout Viewer) -> JSONValue {
        let message = viewer.sees(mentions) ? message : nil
        let document = JSONValue.document(
            "monitor",
            [
                "when": .text(clock.time(when)),
                "kind": .string(kind.name),
                "what": .string(what),
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
            ])
        guard !content.isEmpty, case .object(let members) = document else {
            return document
        }
        return .object(members + content)
    }
}

extension TraceRecord {
    private var kind: MonitorEventKind {
        switch lane {
        case nil: .publish
        case .error: .error
        case .event, .request, .cascade: .event
        }
    }

    private func monitorEvent(_ what: String, at when: Instant) -> MonitorEvent {
        var monitorEvent = MonitorEvent(kind, what, path: origin, name: name)
        monitorEvent.when = when
        monitorEvent.id = id
        monitorEvent.lane = lane
        monitorEvent.cause = cause
        return monitorEvent
    }

    /// That it was raised.
    var startEvent: MonitorEvent {
        monitorEvent(lane == nil ? "published" : "triggered", at: begun)
    }

    /// That it ended.
    var endEvent: MonitorEvent {
        let what = lane == nil && outcome == .delivered ? "delivered" : "ended"
        var monitorEvent = monitorEvent(what, at: ended)
        monitorEvent.outcome = outcome
        monitorEvent.by = by
        monitorEvent.failure = failure
        monitorEvent.paths = lane == nil || lane == .cascade ? paths : nil
        // A verdict's words are passed on by all above it.
        monitorEvent.mentions = .places(trail.map(\.path))
        return monitorEvent
    }
}

/// Selects the monitor events for a monitor.
struct MonitorEventFilter: Sendable {
    private let name: Glob?
    private let path: Glob?
    /// Maximum length of a pattern, which takes memory as long as its monitor exists.
    private static let patternByteCountMax = 1_024

    private let kinds: Set<MonitorEventKind>

    init(_ filter: MonitorFilter) throws(WireError) {
        name = try Self.glob(filter.name)
        path = try Self.glob(filter.path)
        kinds = Set(filter.kinds.isEmpty ? MonitorEventKind.allCases : filter.kinds)
    }

    private static func glob(_ pattern: String?) throws(WireError) -> Glob? {
        guard let pattern else {
            return nil
        }
        guard pattern.utf8.count <= patternByteCountMax else {
            throw WireError(
                .badPredicate,
                "the pattern has \(pattern.utf8.count) bytes, more than \(patternByteCountMax)")
        }
        return Glob(pattern)
    }

    /// A monitor event concerns every place that it names and the viewer may see: a match of a
    /// hidden path would disclose that path.
    func admits(_ monitorEvent: MonitorEvent, to viewer: inout Viewer) -> Bool {
        guard kinds.contains(monitorEvent.kind) else {
            return false
        }
        if let name, !(monitorEvent.name.map { name.matches($0.description) } ?? false) {
            return false
        }
        guard monitorEvent.isVisible(to: &viewer) else {
            return false
        }
        guard let path else {
            return true
        }
        let places =
            [monitorEvent.path, monitorEvent.by, monitorEvent.formerPath].compactMap(\.self)
            + (monitorEvent.paths ?? [])
        return places.contains { path.matches($0.description) && viewer.sees($0) }
    }
}
