// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire
import Glibc

/// Reloads the daemon's files.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reload the daemon's rules, policy and configuration.",
        discussion: """
            The daemon applies all files or none. An error is printed as FILE:LINE:COLUMN: \
            message, and the exit code is 78; 'rules check' and 'rules diff' find errors in \
            advance. Only the daemon's user and root may reload, on the daemon's machine.

            Example: cascadectl reload
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    func run() async throws {
        let document = try await bus.withBus(isFinal: true) { bus in
            let processID = try DaemonProcess.id(
                behind: bus.endpoint, claimed: bus.welcome.processID)
            let events = try await bus.link.answers(.monitor(MonitorFilter(kinds: [.env, .admin])))
            // The bus has registered the monitor when it answers a later query.
            _ = try await bus.link.query(.rules)
            try Self.hangUp(processID)
            return ReloadDocument(pid: processID, message: try await Self.result(among: events))
        }
        output.show(ShownDocument(document))
    }

    /// Sends SIGHUP to the daemon. Throws ``Stop`` if it has no files to reload, or the kernel
    /// refuses.
    private static func hangUp(_ processID: pid_t) throws {
        guard DaemonProcess.survivesHangUp(processID) else {
            throw Stop(
                .failure,
                "the daemon, process \(processID), has no files to reload; restart it instead")
        }
        guard kill(processID, SIGHUP) == 0 else {
            let reason = ErrorNumber(errno)
            throw Stop(
                errno == EPERM ? .denied : .failure,
                "cannot signal the daemon, process \(processID), to reload: \(reason)")
        }
    }

    /// Waits for the monitor event about the reload, and returns its message. Throws ``Stop`` if
    /// the daemon refused a file.
    private static func result(
        among events: some AsyncSequence<[UInt8], any Error>
    ) async throws -> String {
        for try await message in events {
            let event = try MonitorEventDocument(answer: message)
            switch event.what {
            case "rulesLoaded": return event.message ?? ""
            case "configurationRefused", "policyRefused", "rulesRefused", "keysRefused":
                let text = event.message ?? "the daemon has refused a file, which its log names"
                Output.explanation("\(text); the previous files stay in force".safeForTerminal)
                throw Stop(.configuration)
            default: break
            }
        }
        throw CancellationError()
    }
}

extension ReloadDocument: TextDocument {
    func text(_ style: Style) -> String {
        "the daemon, process \(pid), has reloaded: \(message)".safeForTerminal
    }
}

// MARK: - Metrics

/// Prints the daemon's metrics.
struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print metrics in Prometheus' text format.",
        discussion: """
            The daemon's metrics socket (setting metricsSocket) serves the same text to a scraper \
            without a session.

            Example: cascadectl metrics
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: PlainOutputOptions

    func run() async throws {
        try await bus.withBus(asking: asked.site) { bus in
            output.show(try ShownDocument<MetricsDocument>(await bus.query(.metrics)))
        }
    }
}

extension MetricsDocument: TextDocument {
    func text(_ style: Style) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

// MARK: - Round trips

/// Measures round trips to the bus.
struct Ping: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure round trips to the bus.",
        discussion: """
            Example: cascadectl ping --count 3
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: PlainOutputOptions

    @Option(help: "Number of pings, one per second.")
    var count = 1

    func validate() throws {
        guard count >= 1 else {
            throw ValidationError("--count must be at least 1")
        }
    }

    func run() async throws {
        try await bus.withBus(asking: asked.site) { bus in
            for round in 0..<count {
                if round > 0 {
                    try await Task.sleep(for: .seconds(1))
                }
                let start = ContinuousClock.now
                _ = try await bus.query(.bus)
                let elapsed = (ContinuousClock.now - start).wireMicroseconds
                output.show(PingDocument(bus: bus.name, microseconds: elapsed))
            }
        }
    }
}

/// A round trip to the bus.
struct PingDocument: Document {
    let bus: String
    let microseconds: UInt32

    var json: JSONValue {
        .document("ping", ["bus": .string(bus), "microseconds": .integer(microseconds)])
    }

    func text(_ style: Style) -> String {
        "\(bus.safeForTerminal) answered in \(Age.milliseconds(microseconds))"
    }
}

// MARK: - Releases

/// Prints the release of the command line, and that of the bus if it can be reached.
struct Version: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the releases of the command line and of the bus.",
        discussion: """
            Example: cascadectl version
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    func run() async throws {
        output.show(VersionDocument(release: Release.name, welcome: try await welcome()))
    }

    /// Returns the bus's greeting; `nil` if no bus answers within 2 seconds.
    private func welcome() async throws -> Welcome? {
        do {
            return try await bus.withBus(limit: TimeSpan(milliseconds: 2_000)) { $0.welcome }
        } catch let stop as Stop where stop.status == .noBus || stop.status == .tryAgain {
            return nil
        }
    }
}

/// The releases of the command line and the bus.
struct VersionDocument: Document {
    let release: String
    /// The bus's welcome; `nil` if no bus can be reached.
    let welcome: Welcome?

    var json: JSONValue {
        .document(
            "version",
            [
                "release": .string(release),
                "protocol": .integer(ProtocolVersion.max),
                "bus": welcome.map { welcome in
                    .members([
                        "name": .string(welcome.bus),
                        "release": .string(welcome.release),
                        "pid": .integer(welcome.processID),
                        "protocol": .integer(welcome.version),
                    ])
                },
            ])
    }

    func text(_ style: Style) -> String {
        let own = "\(release), protocol \(ProtocolVersion.min) to \(ProtocolVersion.max)"
        guard let welcome else {
            return own
        }
        let bus =
            "\(welcome.release), protocol \(welcome.version), process \(welcome.processID), "
            + "at \(welcome.bus)"
        return own + "\n" + bus.safeForTerminal
    }
}
