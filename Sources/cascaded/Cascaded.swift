// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeDaemon
import Glibc
import Logging

/// The command line of the daemon.
@main
struct Cascaded: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascaded",
        abstract: "Serves a Cascade bus.",
        discussion: """
            Without arguments it serves the system's bus, ipc:///run/cascade/bus.sock, and needs \
            no configuration. SIGTERM and SIGINT stop it gracefully: visits under way may end, \
            then all sessions are ended. SIGHUP reloads configuration, rules, policy and keys.
            """,
        version: Release.name)

    @OptionGroup var settings: SettingOptions

    @Option(
        help: ArgumentHelp(
            """
            Read only this configuration file, instead of those in /usr/lib/cascade and \
            /etc/cascade.
            """, valueName: "file"))
    var config: String?

    @Flag(
        help: """
            Serve the user's own bus, $XDG_RUNTIME_DIR/cascade/bus.sock, with the configuration in \
            $XDG_CONFIG_HOME/cascade.
            """)
    var user = false

    @Flag(
        help: """
            Report faults in configuration, rules, policy and keys, and exit with 0 or 78.
            """)
    var checkConfig = false

    @Flag(help: "Print the settings in force with the origin of each value.")
    var printConfig = false

    @Flag(help: "Print a configuration file with every setting, its meaning and its default.")
    var printDefaultConfig = false

    func validate() throws {
        if let fault = DaemonConfiguration.faults(in: settings.placed).first {
            throw ValidationError(fault.description)
        }
        if user, UserFolders.runtime == nil {
            throw ValidationError("XDG_RUNTIME_DIR is not set; a user's bus needs it")
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
            for advice in configuration.advice {
                Self.printError("warning: \(advice)")
            }
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

    /// Reads the configuration. If it has faults, prints them all and exits with `EX_CONFIG`.
    private func read(_ sources: ConfigurationSources) throws -> DaemonConfiguration {
        do throws(ConfigurationError) {
            let configuration = try DaemonConfiguration(reading: sources)
            if checkConfig {
                try DaemonFiles.check(configuration.options)
            }
            return configuration
        } catch {
            for fault in error.faults {
                Self.printError("\(fault)")
            }
            throw ExitCode(EX_CONFIG)
        }
    }

    private static func printError(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// The first folder in `STATE_DIRECTORY`, which systemd sets.
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

/// The release of the daemon.
private enum Release {
    static let name = "cascaded 0.1.0"
}

/// The user's folders according to the XDG base directory specification.
private enum UserFolders {
    static var runtime: String? {
        variable("XDG_RUNTIME_DIR")
    }

    /// The configuration folder of the user's daemon.
    static var configuration: String? {
        let base = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        return base.map { $0 + "/cascade" }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The environment of the process.
private enum Variables {
    /// All variables; of duplicates the first one, as with getenv(3).
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            next += 1
        }
        return variables
    }
}
