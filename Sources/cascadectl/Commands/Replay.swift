// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import CascadeSession

/// Replays a capture.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trigger and publish the messages of a capture again.",
        discussion: """
            Messages are sent from their original paths, in the original order and timing, and \
            each outcome is printed. Messages caused by others are left out, because they occur \
            again. Exits with 1 if a message could not be sent.

            Example: cascadectl replay monday.jsonl --into /test --speed 10
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "File of 'capture'.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Path below which the messages are triggered.", valueName: "path"),
        completion: .nodes, transform: NodePath.argument)
    var into: NodePath = .root

    @Option(
        help: ArgumentHelp(
            "Speed relative to the capture; 0 for the maximum.", valueName: "factor"))
    var speed = 1.0

    func validate() throws {
        guard speed >= 0, speed.isFinite else {
            throw ValidationError("--speed must be 0 or more")
        }
    }

    func run() async throws {
        let captured = try captured()
        let failedCount = try await bus.withBus { bus in
            try await ReplayRun(bus: bus, output: output, speed: speed).raise(captured)
        }
        if failedCount > 0 {
            throw Stop(.failure, "\(failedCount) of \(captured.count) messages could not be sent")
        }
    }

    /// Returns the messages in the file.
    private func captured() throws -> [CapturedMessage] {
        var leftOutCount = 0
        let captured = try CaptureFile.documents(file).compactMap { document in
            do throws(CapturedMessage.Omission) {
                return try CapturedMessage(document, into: into)
            } catch {
                switch error {
                case .notRaised, .consequence, .raisedByBus: break
                case .payloadLeftOut, .unreadable: leftOutCount += 1
                }
                return nil
            }
        }
        if leftOutCount > 0 {
            Output.diagnostic(
                "left out \(leftOutCount) messages whose payloads were too long to be recorded")
        }
        return captured
    }
}

// MARK: - The replay

/// The replay of captured messages, in their order, with their outcomes.
struct ReplayRun: Sendable {
    let bus: Bus
    let output: OutputOptions
    /// The speed relative to the capture; 0 for the maximum.
    let speed: Double

    /// Raises the messages and shows their outcomes. Returns the number of those that could not be
    /// raised.
    func raise(_ captured: [CapturedMessage]) async throws -> Int {
        guard let first = captured.first else {
            return 0
        }
        let begin = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for entry in captured {
                let microseconds = entry.when.microseconds - first.when.microseconds
                if speed > 0 {
                    let delay = Duration.microseconds(Double(microseconds) / speed)
                    try await Task.sleep(until: begin.advanced(by: delay), clock: .continuous)
                }
                let raised: RaisedEvent
                do {
                    raised = try await bus.link.raise(entry.raising, entry.options)
                } catch let error as CascadeError {
                    group.addTask { refused(entry, error) }
                    continue
                }
                group.addTask { try await showOutcome(of: raised, entry) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }

    /// Waits for the outcome of a message and shows it. Returns whether there was one.
    private func showOutcome(
        of raised: RaisedEvent, _ entry: CapturedMessage
    ) async throws -> Bool {
        do {
            let settled = try await raised.pending.value
            output.show(
                ReplayedOutcome(
                    outcome: RaisedOutcome(
                        id: raised.id, name: entry.raising.name, settled: settled)))
            return true
        } catch let error as CascadeError {
            return refused(entry, error)
        }
    }

    /// Prints the error of a message that could not be raised. Returns `false`.
    private func refused(_ entry: CapturedMessage, _ error: CascadeError) -> Bool {
        Output.diagnostic("\(entry.raising.name): \(error.message)".safeForTerminal)
        return false
    }
}

/// The outcome of a replayed message. The text begins with the message's name, because several
/// outcomes follow one another.
struct ReplayedOutcome: Document {
    let outcome: RaisedOutcome

    var json: JSONValue {
        outcome.json
    }

    func text(_ style: Style) -> String {
        style.apply(.bold, outcome.name.description) + " " + outcome.text(style)
    }
}

// MARK: - Messages of a capture

/// A captured message to raise or publish again.
struct CapturedMessage {
    /// The time at which it was raised.
    let when: Timestamp
    let raising: Raising
    let options: RaiseOptions

    /// The reason why a document of a capture is not raised again.
    enum Omission: Error {
        /// It is no monitor event about a raised or published message.
        case notRaised
        /// Another message caused it and will cause it again.
        case consequence
        /// The bus raises it by itself.
        case raisedByBus
        /// The payload was too long for the capture.
        case payloadLeftOut
        /// A member is missing or invalid.
        case unreadable
    }

    /// Reads a message from a monitor event.
    ///
    /// - Parameter destination: The path below which the message is raised.
    init(_ line: JSONValue, into destination: NodePath) throws(Omission) {
        guard let kind = line["what"]?.string, ["triggered", "published"].contains(kind) else {
            throw .notRaised
        }
        let event: MonitorEventDocument
        do throws(InspectionError) {
            event = try MonitorEventDocument(json: line)
        } catch {
            throw .unreadable
        }
        guard event.cause == nil else {
            throw .consequence
        }
        guard event.leftOutBytes == nil else {
            throw .payloadLeftOut
        }
        guard let name = event.name, let path = event.start ?? event.path else {
            throw .unreadable
        }
        guard !name.isReserved else {
            throw .raisedByBus
        }
        let components = destination.components + path.components
        let origin = NodePath(joining: components.map(String.init))
        when = event.when
        raising = Raising(
            name: name, payload: try Self.payload(event),
            contentType: event.contentType,
            attributes: (event.attributes ?? [:]).map { Attribute($0.name, $0.value) },
            message: event.message, title: event.title)
        options = RaiseOptions(
            try Self.direction(event), from: .outsider(origin),
            flags: event.retained == true ? .retained : [])
    }

    private static func payload(_ event: MonitorEventDocument) throws(Omission) -> [UInt8] {
        if let json = event.payload {
            return Array(json.text.utf8)
        }
        guard let text = event.payloadBase64 else {
            return []
        }
        guard let bytes = Base64.decode(text) else {
            throw .unreadable
        }
        return bytes
    }

    private static func direction(
        _ event: MonitorEventDocument
    ) throws(Omission) -> RaiseOptions.Direction {
        if event.what == "published" {
            return .down(event.to?.known ?? .last)
        }
        guard let lane = event.lane?.known else {
            throw .unreadable
        }
        return .upward(lane)
    }
}
