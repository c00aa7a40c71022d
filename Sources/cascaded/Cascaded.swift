// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeDaemon
import Glibc
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
            node is told. SIGHUP has it read its configuration, rules, policy and keys again.
            """,
        version: Release.name)

    @OptionGroup var settings: SettingOptions

    @Option(
        help: ArgumentHelp(
            """
            Read this configuration file alone, in place of those in /usr/lib/cascade and \
            /etc/cascade.
            """, valueName: "file"))
    var config: String?

    @Flag(
        help: """
            Serve the user's own bus, $XDG_RUNTIME_DIR/cascade/bus.sock, and be configured by the \
            files in $XDG_CONFIG_HOME/cascade.
            """)
    var user = false

    @Flag(
        help: """
            Say what is wrong with the configuration, rules, policy and keys, and exit: 0 or 78.
            """)
    var checkConfig = false

    @Flag(help: "Print what the configuration comes to, and where each value was said.")
    var printConfig = false

    @Flag(help: "Print a configuration file with every setting, its meaning and its default.")
    var printDefaultConfig = false

    func validate() throws {
        if let fault = DaemonConfiguration.faults(in: settings.placed).first {
            throw ValidationError(fault.description)
        }
        if user, UserFolders.runtime == nil {
            throw ValidationError("there is no XDG_RUNTIME_DIR for a user's bus")
        }
    }

    func run() async throws {
        guard !printDefaultConfig else {
            print(Setting.defaultFile, terminator: "")
            return
        }
        let sources = sources()
        let configuration = try read(sources)
        if printConfig {
            print(configuration.text, terminator: "")
        }
        guard !printConfig, !checkConfig else {
            return
        }
        let level = LogLevel(Logger.Level(rawValue: configuration.options.logLevel) ?? .info)
        let format = LogFormat(rawValue: configuration.options.logFormat) ?? .auto
        let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        let logger = Logger(label: "cascaded") { _ in
            DaemonLogHandler(format.resolved(journalStream: stream), level: level)
        }
        do {
            try await Daemon(
                configuration, from: sources, release: Release.name, logger: logger, level: level
            ).runUntilSignalled()
        } catch {
            logger.log(LogRecord(.critical, .failed, "\(error)"))
            throw ExitCode.failure
        }
    }

    /// Says all that is wrong, and exits as scripts expect it.
    private func read(_ sources: ConfigurationSources) throws -> DaemonConfiguration {
        do throws(ConfigurationError) {
            let configuration = try DaemonConfiguration(reading: sources)
            if checkConfig {
                try DaemonFiles.check(configuration.options)
            }
            return configuration
        } catch {
            for fault in error.faults {
                Self.say("\(fault)")
            }
            throw ExitCode(EX_CONFIG)
        }
    }

    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// The first folder that systemd has made for the service.
    private static var inheritedStateDirectory: String? {
        guard let value = getenv("STATE_DIRECTORY") else {
            return nil
        }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }

    private func sources() -> ConfigurationSources {
        var sources = ConfigurationSources(
            file: config, environment: Variables.all, flags: settings.placed)
        if let folder = Self.inheritedStateDirectory {
            sources.defaults.append(
                PlacedSetting("stateDirectory", .scalar(folder), .variable("STATE_DIRECTORY")))
        }
        if user {
            sources.folders = UserFolders.configuration.map { [$0] } ?? []
            if let endpoint = DefaultEndpoint.user {
                sources.defaults.append(
                    PlacedSetting("listen", .list([endpoint]), .flag("--user")))
            }
        }
        return sources
    }
}
