// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeConsole
import Glibc
import Logging

/// The command line of the console.
@main
struct CascadeConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade-console",
        abstract: "Shows a bus live in a browser.",
        discussion: """
            Prints a link that opens one session. It attaches no node: if it ends, no message notices.
            """)

    @Option(help: "Endpoint of the bus; otherwise CASCADE_BUS, the user's bus, or the system's.")
    var bus: String?

    @Option(help: "127.0.0.1:PORT, with 0 for a free port, or unix:PATH.")
    var listen = "127.0.0.1:0"

    @Option(help: "Further name by which browsers reach the console; may be repeated.")
    var host: [String] = []

    @Flag(inversion: .prefixedNo, help: "Payloads of messages are shown.")
    var payloads = true

    @OptionGroup var changes: ActionOptions

    @OptionGroup var recording: RecordingOptions

    @Option(help: ArgumentHelp("Directory of the page, for work on it.", visibility: .hidden))
    var pageDirectory: String?

    @Option(help: "Log level: debug, info, notice, warning or error.")
    var logLevel = "notice"

    func validate() throws {
        guard ListenAddress(listen) != nil else {
            throw ValidationError(
                "'\(listen)' is not 127.0.0.1:PORT or unix:PATH: the console listens on this machine only"
            )
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("'\(logLevel)' is not a log level")
        }
    }

    func run() async throws {
        var options = ConsoleOptions()
        options.endpoint = bus
        options.address = ListenAddress(listen) ?? options.address
        options.hosts = Set(host.map { $0.lowercased() })
        options.withPayloads = payloads
        options.actions = changes.admitted
        options.pageDirectory = pageDirectory
        recording.apply(to: &options)
        var logger = Logger(label: "cascade-console") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .warning
        try await ConsoleProgram(options, logger: logger).run { link in
            print(link)
            fflush(nil)
        }
    }
}
