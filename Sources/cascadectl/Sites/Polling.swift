// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

extension Bus {
    /// The time between two questions to a site, which does not tell changes by itself.
    static let pollInterval = Duration.seconds(1)

    /// Asks a site again and again, until the task is cancelled, and shows each answer. A site that
    /// cannot be asked for a while is reported once, and asked again.
    ///
    /// - Parameters:
    ///   - identity: Returns what distinguishes a document from one that need not be shown again.
    ///   - document: Asks the site, and returns its answer with the document to show. Its argument is the
    ///     previous answer.
    func poll(
        _ screen: WatchScreen, identity: (any Document) -> String = { $0.json.text },
        _ document: ([UInt8]?) async throws -> ([UInt8], any Document)
    ) async throws {
        var earlier: [UInt8]?
        var shownBefore: String?
        var absences = AbsenceWatch(of: .site)
        while true {
            let answer = try await absences.watch {
                try await document(earlier)
            } reporting: {
                screen.show($0)
            }
            if let (message, shown) = answer {
                let text = identity(shown)
                if text != shownBefore {
                    screen.show(shown)
                }
                shownBefore = text
                earlier = message
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }
}

/// The monitor events of a site, which is asked for those of the recent past again and again.
struct MonitorPolling: Sendable {
    var filter: MonitorFilter
    let bus: BusOptions
    let site: String?
    let output: OutputOptions

    /// The time that is added to each question, so that an event is not missed by one that is late.
    private static let overlapMilliseconds: UInt32 = 2_000

    /// Prints the events until the process is interrupted.
    func run() async throws {
        let output = output
        try await bus.watchBus(asking: site) {
            output.show($0)
        } _: { bus in
            try await watch(bus)
        }
    }

    private func watch(_ bus: Bus) async throws {
        var filter = filter
        // Without --since, what was before the command is not of interest.
        var isFirst = filter.sinceMilliseconds == 0
        filter.sinceMilliseconds = max(filter.sinceMilliseconds, Self.overlapMilliseconds)
        var shown: Set<String> = []
        var absences = AbsenceWatch(of: .site)
        var asked = ContinuousClock.now
        while true {
            let question = filter
            let now = ContinuousClock.now
            let answer = try await absences.watch {
                let message = try await bus.query(.monitor(question))
                return try JSONValue(parsing: DocumentAnswer(parsing: message).document)
            } reporting: {
                output.show($0)
            }
            if let answer {
                asked = now
                let events = answer["happenings"]?.elements ?? []
                for event in events where !isFirst && !shown.contains(event.text) {
                    output.show(MonitorLine(event: try ReceivedDocument(json: event)))
                }
                shown = Set(events.map(\.text))
                isFirst = false
            }
            try await Task.sleep(for: Bus.pollInterval)
            let elapsed = (ContinuousClock.now - asked).wireMicroseconds / 1_000
            filter.sinceMilliseconds = elapsed + Self.overlapMilliseconds
        }
    }
}
