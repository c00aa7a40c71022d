// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeJSON
import CascadeWire

/// What the console knows of a bus, from which every page is told what has changed since the version that
/// it has.
///
/// A pure state machine: its inputs are the bus's answers and the time, and nothing of a page is kept in
/// it. Each change gets a version of its own, so that a frame can end anywhere between two.
struct BusView: Sendable {
    /// The number of seconds of which the outcomes are kept.
    static let secondCountMax = 900
    /// The number of further monitor events that are kept.
    static let happeningCountMax = 500
    /// The number of removed nodes that are kept; a page that has missed more begins anew.
    static let goneCountMax = 20_000

    /// A part of a frame, with the version in which it came.
    struct Versioned: Sendable {
        let version: UInt64
        let json: JSONValue
    }

    enum Connection: Sendable, Equatable {
        /// No bus has answered yet, or the connection is lost since a moment.
        case away(since: Timestamp, reason: String)
        case live
    }

    /// Distinguishes the state of one daemon from that of another: a page that has another epoch begins
    /// anew.
    private(set) var epoch: UInt64
    private(set) var version: UInt64 = 1
    private(set) var bus = ""
    private(set) var release = ""
    private(set) var connection: Connection
    private(set) var connectionVersion: UInt64 = 1
    /// The time of the last answer.
    var when: Timestamp
    var nodes = ShownNodes()
    var gone: [Versioned] = []
    private(set) var ended = EndedMessages()
    private(set) var happenings: [Versioned] = []
    /// The outcomes of each second.
    private(set) var seconds: [Versioned] = []
    /// The numbers of the bus as a whole.
    private(set) var totals: Versioned?
    private(set) var undelivered: Versioned?
    private(set) var findings: Versioned?
    /// The oldest events under way.
    private(set) var underWay: Versioned?
    /// The messages of which no page is told, because there were too many.
    private(set) var leftOut: Versioned?

    /// Whether the bus tells the whole tree and nothing of its changes, because it is of an older release.
    var isOlder = false
    /// The number of nodes of the bus, by its last status.
    private(set) var nodeCount = 0
    /// The number of messages raised in a second, by the last two statuses.
    private(set) var raisedPerSecond: UInt64 = 0
    var tree = FollowedTree()
    /// The number of nodes that pages are told of.
    let toldCountMax: Int
    private var lastCounters: (when: Timestamp, counters: NamedMembers<UInt64>)?
    private var processID: UInt32?

    init(epoch: UInt64, now: Timestamp, toldCountMax: Int = FollowedTree.toldCountMax) {
        self.epoch = epoch
        self.toldCountMax = toldCountMax
        when = now
        connection = .away(since: now, reason: "No bus has answered yet.")
    }

    // MARK: - Connection

    /// The bus has accepted the session, for the first time or again.
    mutating func welcomed(_ welcome: Welcome, now: Timestamp) {
        if let processID, processID != welcome.processID {
            // Another daemon: nothing of the former one holds, but what happened before is known on. Version
            // numbers go on.
            let former = self
            self = BusView(epoch: epoch &+ 1, now: now, toldCountMax: toldCountMax)
            (version, seconds, happenings) = (former.version, former.seconds, former.happenings)
        }
        processID = welcome.processID
        bus = welcome.bus
        release = welcome.release
        when = now
        connection = .live
        connectionVersion = next()
    }

    /// The bus cannot be reached, or does not answer.
    mutating func lost(_ reason: String, now: Timestamp) {
        guard connection == .live else {
            return
        }
        connection = .away(since: now, reason: reason)
        connectionVersion = next()
    }

    mutating func next() -> UInt64 {
        version += 1
        return version
    }

    // MARK: - The bus as a whole

    /// Takes the bus's status, from which the outcomes of the seconds since the last one follow.
    mutating func received(_ status: BusStatusDocument, now: Timestamp) {
        when = now
        nodeCount = Int(clamping: status.uses?["nodes"] ?? 0)
        let counters = status.counters
        totals = Versioned(
            version: next(),
            json: .members([
                "counters": counters.json, "limits": status.limits.json,
                "uses": status.uses?.json, "since": .text(status.since),
                "pid": .integer(status.pid),
            ]))
        if let last = lastCounters {
            let elapsed = max(1, now.microseconds(since: last.when))
            let difference = { (name: String) -> JSONValue in
                let (now, before) = (counters[name] ?? 0, last.counters[name] ?? 0)
                return .integer(now >= before ? now - before : 0)
            }
            // [milliseconds since 1970, length in milliseconds, then the numbers of outcomes]
            let row: [JSONValue] =
                [.integer(now.microseconds / 1_000), .integer(elapsed / 1_000)]
                + Self.outcomes.map(difference)
            raisedPerSecond =
                ["triggered", "published"].reduce(0) { sum, name in
                    let (now, before) = (counters[name] ?? 0, last.counters[name] ?? 0)
                    return sum + (now > before ? now - before : 0)
                } * 1_000_000 / elapsed
            seconds.append(Versioned(version: next(), json: .array(row)))
            seconds.removeFirst(max(0, seconds.count - Self.secondCountMax))
        }
        lastCounters = (now, counters)
    }

    /// The outcomes in the order in which a second has them.
    static let outcomes = [
        "handled", "delivered", "cascaded", "caught", "unhandled", "noSubscriber", "failed",
        "timedOut",
        "rejected", "looped",
    ]

    mutating func received(undelivered document: JSONValue, now: Timestamp) {
        when = now
        if undelivered?.json != document["undelivered"] {
            undelivered = Versioned(version: next(), json: document["undelivered"] ?? .array([]))
        }
    }

    mutating func received(findings document: JSONValue, now: Timestamp) {
        when = now
        if findings?.json != document["findings"] {
            findings = Versioned(version: next(), json: document["findings"] ?? .array([]))
        }
    }

    mutating func received(underWay document: UnderWayDocument, now: Timestamp) {
        when = now
        let rows = JSONValue.array(document.underWay.map(\.row))
        if underWay?.json != rows {
            underWay = Versioned(version: next(), json: rows)
        }
    }

    // MARK: - Monitor events

    /// The number of messages in a second above which a bus that tells all of them is asked for none.
    private static let olderBusMax: UInt64 = 500

    /// Whether a monitor would cost the bus more than it is worth.
    var isTooBusyForMonitor: Bool {
        isOlder && raisedPerSecond > Self.olderBusMax
    }

    /// Takes a monitor event.
    mutating func received(_ event: ReceivedDocument<ToldMonitorEvent>, now: Timestamp) {
        when = now
        let json = event.json.without(["schema"])
        guard event.content.what != "sampled" else {
            leftOut = Versioned(version: next(), json: json)
            return
        }
        switch event.content.kind {
        case "event", "error", "publish":
            if let outcome = event.content.outcome {
                ended.append(.init(version: next(), text: json.text), outcome.known)
            }
        case "topology" where event.content.what == "changed":
            // The changes of the tree tell what the node declares.
            break
        default:
            happenings.append(Versioned(version: next(), json: json))
            happenings.removeFirst(max(0, happenings.count - Self.happeningCountMax))
        }
    }
}

/// What the view itself reads of a monitor event, a part of ``MonitorEventDocument``. The pages are told all
/// of it, and a busy bus tells hundreds in a second.
struct ToldMonitorEvent: InspectionDocument {
    static let schemaName = MonitorEventDocument.schemaName

    private(set) var schema = DocumentSchema<Self>()
    var kind: DocumentWord<MonitorEventKind>
    var what: String
    var outcome: DocumentWord<OutcomeCode>?
    var leftOut: NamedMembers<UInt64>?
}

extension UnderWayDocument.Entry {
    /// The event as pages are told of it, with times in milliseconds since 1970.
    fileprivate var row: JSONValue {
        .members([
            "id": .text(id), "name": .text(name), "lane": .string(lane.rawValue),
            "origin": origin.map { .text($0) }, "by": by.map { .text($0) },
            "since": .integer(since.microseconds / 1_000),
            "deadline": deadline.map { .integer($0.microseconds / 1_000) },
        ])
    }
}

extension NamedMembers<UInt64> {
    /// The members as an object.
    var json: JSONValue {
        .object(map { JSONValue.Member(key: $0.name, value: .integer($0.value)) })
    }
}

extension JSONValue {
    /// Returns an object without some of its members.
    func without(_ keys: Set<String>) -> JSONValue {
        .object(members.filter { !keys.contains($0.key) })
    }
}
