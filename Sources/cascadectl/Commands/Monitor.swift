// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import Synchronization

/// Prints monitor events as they occur.
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the bus's events as they occur.",
        discussion: """
            Prints one line per event, until interrupted. In a pattern '*' stands for any \
            characters and '?' for one. The bus filters the events. On a terminal a line fits the \
            width: the middle of an ID is left out first. A pipe and --json get whole lines. A line \
            reports a lost connection, and another its return and the gap; with --since, remembered \
            events from the gap follow, without those already shown. With --site, the site is asked \
            again every second.

            Example: cascadectl monitor --kind event,error --path '/kitchen*' --since 5m
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var filterOptions: MonitorFilterOptions

    @Option(
        help: ArgumentHelp(
            "Age of the oldest remembered event to print first, as in 5m.", valueName: "time"),
        transform: TimeSpan.argument)
    var since: TimeSpan?

    @Flag(help: "Payloads and attributes of messages, in addition.")
    var payloads = false

    func run() async throws {
        var filter = filterOptions.filter
        filter.sinceMilliseconds = since?.milliseconds ?? 0
        filter.withPayloads = payloads
        let output = output
        if asked.site != nil {
            try await MonitorPolling(filter: filter, bus: bus, site: asked.site, output: output)
                .run()
            return
        }
        let shown = ShownMonitorEvents()
        try await bus.watchBus {
            output.show($0)
            shown.changed($0)
        } _: { [filter] bus in
            for try await message in try await bus.link.answers(.monitor(filter)) {
                let event = try ReceivedDocument<MonitorEventDocument>(parsing: message)
                if shown.insert(event) {
                    output.show(MonitorLine(event: event))
                }
            }
        }
    }
}

/// The options for the filter of monitor events.
struct MonitorFilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Pattern of the names.", valueName: "pattern"))
    var name: String?

    @Option(
        help: ArgumentHelp("Pattern of the paths.", valueName: "pattern"),
        transform: Self.pathPattern)
    var path: String?

    @Option(
        help: ArgumentHelp(
            "Kinds, separated by commas: event, error, publish, env, topology, admin.",
            valueName: "kinds"),
        transform: Self.kinds)
    var kind: [MonitorEventKind] = []

    @Option(
        help: ArgumentHelp(
            """
            Number of messages a second at most, failures before successes. The bus counts the \
            others; the counts are printed once a second.
            """, valueName: "number"))
    var perSecond: UInt32 = 0

    @Flag(help: "One line per message, at its end, with its trail.")
    var trails = false

    var filter: MonitorFilter {
        MonitorFilter(
            name: name, path: path, kinds: kind, perSecond: perSecond, withTrails: trails)
    }

    /// Throws for a pattern that no path matches, because every path begins with '/'.
    private static func pathPattern(_ text: String) throws -> String {
        guard let first = text.first, "/*?".contains(first) else {
            throw ValidationError(
                "the pattern '\(text.escapedForDisplay())' matches no path; write /\(text.escapedForDisplay())"
            )
        }
        return text
    }

    private static func kinds(_ text: String) throws -> [MonitorEventKind] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let kind = MonitorEventKind(name: String(word)) else {
                let all = MonitorEventKind.allCases.map(\.name).joined(separator: ", ")
                throw ValidationError("unknown kind '\(word)'; the kinds are \(all)")
            }
            return kind
        }
    }
}

/// A monitor event, with all members as text: on a line of any length, or on one that fits the
/// terminal.
struct MonitorLine: Document {
    let event: ReceivedDocument<MonitorEventDocument>

    var json: JSONValue {
        event.json
    }

    private static let columns: Set = ["schema", "when", "kind", "what", "path", "name", "id"]
    private static let paths: Set = ["path", "by", "start", "from"]
    private static let whole: Set = ["kind", "what", "outcome"]
    /// The terminal's columns below which the time has no fraction, and the outcome no label.
    private static let wide = 100

    func text(_ style: Style) -> String {
        let isNarrow = style.width.map { $0 < Self.wide } ?? false
        // The date is left out, because lines appear as events occur.
        let time = (json["when"]?.string ?? "").drop { $0 != "T" }.dropFirst()
            .prefix(isNarrow ? 8 : 15)
        var line = WordLine([WordLine.Word(String(time), .dim, shortening: .never)])
        for key in ["kind", "what", "path", "name", "id"] {
            if let value = json[key]?.plainText {
                line.append(
                    WordLine.Word(
                        value, key == "what" ? .bold : .plain, shortening: Self.shortening(of: key))
                )
            }
        }
        for member in json.without(Self.columns) {
            let hasLabel = !isNarrow || member.key != "outcome"
            line.append(
                WordLine.Word(
                    member.value.plainText, label: hasLabel ? "\(member.key)=" : "",
                    shortening: isImplied(member) ? .leftOut : Self.shortening(of: member.key)))
        }
        return line.text(style)
    }

    /// Whether the kind or the occurrence says the same as the member.
    private func isImplied(_ member: JSONValue.Member) -> Bool {
        (member.key == "lane" && member.value == json["kind"])
            || (member.key == "outcome" && member.value == json["what"])
    }

    private static func shortening(of key: String) -> WordLine.Shortening {
        if whole.contains(key) {
            .never
        } else if key == "id" {
            .first
        } else if key == "cause" {
            .spare
        } else {
            paths.contains(key) ? .middle : .end
        }
    }
}

// MARK: - Events that have been shown

/// The monitor events that have been shown, so that those that the bus repeats after a reconnect
/// are not shown again.
final class ShownMonitorEvents: Sendable {
    private struct State {
        /// The time of the latest reconnect. Later events have not been shown.
        var reconnected: Timestamp?
        /// The time of the last monitor event.
        var last: Timestamp?
        /// The texts of the monitor events with that time.
        var atLast: Set<String> = []
        /// The IDs of the messages triggered last. A restarted daemon triggers durable ones again.
        var triggered: Set<EventID> = []
        /// The same IDs in order.
        var triggeredInOrder: [EventID] = []
    }

    /// The number of IDs that are forgotten at once when twice as many are remembered.
    private static let triggeredMax = 8_192
    private let state = Mutex(State())

    /// Records a reconnect.
    func changed(_ connection: ConnectionDocument) {
        if case .restored = connection.state {
            state.withLock { $0.reconnected = connection.when }
        }
    }

    /// Records a monitor event as shown. Returns `false` if it was shown before.
    func insert(_ event: ReceivedDocument<MonitorEventDocument>) -> Bool {
        state.withLock { state in
            if state.reconnected != nil, Self.isShown(event, state) {
                return false
            }
            Self.record(event, &state)
            return true
        }
    }

    private static func isShown(
        _ event: ReceivedDocument<MonitorEventDocument>, _ state: State
    ) -> Bool {
        let when = event.content.when
        if let id = triggeredID(in: event.content), state.triggered.contains(id) {
            return true
        }
        // Only events from before the reconnect are compared with the last one: after the clock was
        // set back, new ones may be older.
        guard let last = state.last, let reconnected = state.reconnected,
            when.microseconds < reconnected.microseconds
        else {
            return false
        }
        return when.microseconds < last.microseconds
            || (when == last && state.atLast.contains(event.json.text))
    }

    private static func record(
        _ event: ReceivedDocument<MonitorEventDocument>, _ state: inout State
    ) {
        if event.content.when != state.last {
            state.last = event.content.when
            state.atLast = []
        }
        state.atLast.insert(event.json.text)
        if let id = triggeredID(in: event.content), state.triggered.insert(id).inserted {
            state.triggeredInOrder.append(id)
            if state.triggeredInOrder.count > 2 * triggeredMax {
                state.triggered.subtract(state.triggeredInOrder.prefix(triggeredMax))
                state.triggeredInOrder.removeFirst(triggeredMax)
            }
        }
    }

    /// Returns the ID of the message that the monitor event reports as triggered; `nil` for others.
    private static func triggeredID(in event: MonitorEventDocument) -> EventID? {
        event.what == "triggered" ? event.id : nil
    }
}
