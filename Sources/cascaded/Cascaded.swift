// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeDaemon
import CascadeWire
import Logging

/// The daemon's command line: options in, ``CascadeDaemon/Daemon`` runs.
@main
struct Cascaded: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascaded",
        abstract: "Serves a Cascade bus.",
        discussion: """
            With no arguments it serves the system's bus, ipc:///run/cascade/bus.sock, and needs no \
            configuration. It stops on SIGTERM or SIGINT: events under way may end, then every \
            node is told.
            """,
        version: Release.name)

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Where to listen, as ZeroMQ writes it: ipc:///path/to/socket.", valueName: "endpoint"))
    var listen: [String] = []

    @Flag(help: "Serve the user's own bus, $XDG_RUNTIME_DIR/cascade/bus.sock.")
    var user = false

    @Option(help: ArgumentHelp("How long a lost node's path is kept vacant.", valueName: "time"))
    var grace = TimeSpan(milliseconds: 10_000)

    @Option(
        help: ArgumentHelp(
            "How long the tree is at rest before declarations are judged.", valueName: "time"))
    var settle = TimeSpan(milliseconds: 2_000)

    @Option(help: ArgumentHelp("The deadline of an event that names none.", valueName: "time"))
    var deadline = TimeSpan(milliseconds: 30_000)

    @Option(
        help: ArgumentHelp(
            "How often a process is asked for a sign of life. Three missed, it is unresponsive.",
            valueName: "time"))
    var beat = TimeSpan(milliseconds: 1_000)

    @Option(
        help: ArgumentHelp(
            "How long a connection may go without a greeting before it is closed.",
            valueName: "time"))
    var greeting = TimeSpan(milliseconds: 10_000)

    @Option(
        help: ArgumentHelp(
            "How long a restarted daemon waits for its nodes to come back.", valueName: "time"))
    var reattach = TimeSpan(milliseconds: 2_000)

    @Option(
        help: ArgumentHelp(
            """
            A file of rules, or a folder of files that end in .rules; may be repeated. SIGHUP \
            reads them again. (default: /etc/cascade/rules.d)
            """, valueName: "path"))
    var rules: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Poll for so long before sleeping, in microseconds: shorter round trips for a busier \
            core.
            """, valueName: "microseconds"))
    var spin: UInt32 = 0

    @Option(
        name: .long,
        help: "What to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).")
    var logLevel = "info"

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("there is no log level '\(logLevel)'")
        }
    }

    func run() async throws {
        var logger = Logger(label: "cascaded")
        logger.handler = StreamLogHandler.standardError(label: "cascaded")
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
        var options = DaemonOptions(endpoints: try endpoints(), release: Release.name)
        options.graceMilliseconds = grace.milliseconds
        options.settleMilliseconds = settle.milliseconds
        options.deadlineMilliseconds = deadline.milliseconds
        options.beatMilliseconds = beat.milliseconds
        options.greetingMilliseconds = greeting.milliseconds
        options.reattachMilliseconds = reattach.milliseconds
        options.rules = rules
        options.spinNanoseconds = UInt64(spin) * 1_000
        do {
            try await Daemon(options: options, logger: logger).runUntilSignalled()
        } catch {
            logger.critical("\(error)")
            throw ExitCode.failure
        }
    }

    private func endpoints() throws -> [String] {
        guard listen.isEmpty else {
            return listen
        }
        guard user else {
            return [DefaultEndpoint.system]
        }
        guard let endpoint = DefaultEndpoint.user else {
            throw ValidationError("there is no XDG_RUNTIME_DIR for a user's bus")
        }
        return [endpoint]
    }
}
