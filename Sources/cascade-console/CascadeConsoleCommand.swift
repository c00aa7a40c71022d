// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CascadeConsole
import CascadeService
import Glibc
import Logging

/// The command line of the console.
@main
struct CascadeConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade-console",
        abstract: "Show a bus live in a browser.",
        discussion: """
            Prints a link that opens one session. It attaches no node, and its end affects no message. \
            Without a bus it waits for one, and the page shows that. Exits with 78 if the file of buses, \
            or a file of keys that it names, cannot be used.
            """,
        version: "cascade-console 0.1.0",
        subcommands: [Link.self])

    @Option(
        help: ArgumentHelp(
            """
            Bus to show, with a name for it if there are several; may be repeated. Otherwise \
            CASCADE_BUS, the user's bus, or the system's.
            """, valueName: "[name=]endpoint"))
    var bus: [String] = []

    @Option(
        help: ArgumentHelp(
            "File with further buses, in JSON: {\"buses\": [{\"name\", \"bus\", \"key\", \"trust\"}]}.",
            valueName: "file"),
        completion: .file())
    var buses: String?

    @OptionGroup var place: PlaceOptions

    @OptionGroup var changes: ActionOptions

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether payloads of messages are shown; by default those of every bus but the system's."
    )
    var payloads: Bool?

    @Flag(help: "Open the link in the user's browser.")
    var open = false

    @OptionGroup var recording: RecordingOptions

    @Option(help: ArgumentHelp("Directory of the page, for work on it.", visibility: .hidden))
    var pageDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Time without a request after which the console ends.", valueName: "seconds",
            visibility: .hidden))
    var idleSeconds: Int?

    @Option(help: "Log level: trace, debug, info, notice, warning, error or critical.")
    var logLevel = "notice"

    static func main() async {
        cascade_prepare_standard_descriptors()
        // What the bus does goes before what pages show, so the console has a lower priority than what starts it
        // (nice(2)). A thread has the priority of the thread that starts it, and this is the first one.
        _ = nice(10)
        await main(nil)
    }

    func validate() throws {
        for text in bus where ConsoleOptions.Bus(text) == nil {
            throw ValidationError(
                "'\(text)' is not an endpoint, or a name of letters, digits, '-', '_' and '.', "
                    + "and an endpoint after '='")
        }
        let shown = try shown
        guard shown.count <= ConsoleOptions.busCountMax,
            Set(shown.map(\.name)).count == shown.count
        else {
            throw ValidationError(
                "there are at most \(ConsoleOptions.busCountMax) buses, each with another name")
        }
        guard recording.record == nil || shown.count <= 1 else {
            throw ValidationError("--record records one bus")
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("'\(logLevel)' is not a log level")
        }
    }

    /// The buses of the options. If the file of buses cannot be used, prints why and exits with `EX_CONFIG`.
    private var shown: [ConsoleOptions.Bus] {
        get throws {
            do {
                return try bus.compactMap { ConsoleOptions.Bus($0) }
                    + (buses.map { try ConsoleOptions.Bus.list(inFile: $0) } ?? [])
            } catch let error as BusFileError {
                Diagnostic.print(error.description)
                throw ExitCode(EX_CONFIG)
            }
        }
    }

    func run() async throws {
        var options = ConsoleOptions()
        options.buses = try shown
        place.set(&options)
        options.actions = changes.admitted
        options.withPayloads = payloads
        options.pageDirectory = pageDirectory
        options.idleLimit = idleSeconds.map { .seconds($0) }
        recording.apply(to: &options)
        let level = LogLevel(Logger.Level(rawValue: logLevel) ?? .notice)
        let logger = Logger(label: "cascade-console") { _ in
            ServiceLogHandler(.auto, level: level, program: "cascade-console")
        }
        let opens = open
        do {
            try await ConsoleProgram(options, logger: logger).run { link in
                print(link)
                fflush(nil)
                if opens {
                    Browser.open(link)
                }
            }
        } catch {
            Diagnostic.print("\(error)")
            throw ExitCode.failure
        }
    }
}
