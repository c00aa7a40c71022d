// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeService
import Glibc
import Logging

/// Runs the site until SIGTERM.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the site.")

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Lowest level of the messages in the log.",
            valueName: LogLevel.names.joined(separator: "|")))
    var logLevel = LogLevel.standard

    @Flag(
        help:
            "Report faults of the configuration, and exit with 0 or 78; the files that it names are not read."
    )
    var checkConfig = false

    func validate() throws {
        guard LogLevel.names.contains(logLevel) else {
            throw ValidationError("--log-level is \(LogLevel.names.joined(separator: ", "))")
        }
    }

    func run() throws {
        let configuration = try options.read()
        guard !checkConfig else {
            return
        }
        let level = LogLevel(Logger.Level(rawValue: logLevel) ?? .info)
        let logger = Logger(label: "cascade-site") { _ in
            ServiceLogHandler(.auto, level: level, program: "cascade-site")
        }
        do {
            let signals = try SiteSignals()
            try Site(configuration, from: options.config, signals: signals, logger: logger).run()
        } catch {
            logger.critical("\(error)")
            _exit(EXIT_FAILURE)
        }
        // Threads of the NATS library may still run; destructors at exit would free what they use.
        _exit(EXIT_SUCCESS)
    }
}
