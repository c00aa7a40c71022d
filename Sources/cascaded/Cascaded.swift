// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CascadeDaemon
import CascadeService
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
            Only configuration file to read, instead of those in /usr/lib/cascade and \
            /etc/cascade.
            """, valueName: "file"))
    var config: String?

    @Flag(
        help: """
            The user's own bus, $XDG_RUNTIME_DIR/cascade/bus.sock, with the configuration in \
            $XDG_CONFIG_HOME/cascade and durable events in $XDG_STATE_HOME/cascade. Without \
            XDG_RUNTIME_DIR, the socket is cascade-UID/bus.sock in the temporary directory.
            """)
    var user = false

    @Flag(
        help: """
            Only a check of configuration, rules, policy and keys; exits with 0 or 78.
            """)
    var checkConfig = false

    @Flag(help: "Only the settings in force as output, with the origin of each value.")
    var printConfig = false

    @Flag(
        help: """
            Only a configuration file as output, with the meaning and default of every setting.
            """)
    var printDefaultConfig = false

    static func main() async {
        cascade_prepare_standard_descriptors()
        await main(nil)
    }

    func validate() throws {
        if let fault = DaemonConfiguration.faults(in: settings.placed).first {
            throw ValidationError(fault.description)
        }
    }

    func run() async throws {
        guard !printDefaultConfig else {
            print(Setting.defaultFile, terminator: "")
            return
        }
        var sources = sources()
        var configuration = try read(sources)
        if printConfig {
            print(configuration.text, terminator: "")
        }
        guard !printConfig, !checkConfig else {
            for advice in configuration.advice {
                Self.printError("warning: \(advice)")
            }
            return
        }
        if user {
            try makeBusDirectory(for: configuration)
            if let reason = Self.makeStateDirectory(of: configuration) {
                Self.printError("warning: durable events are refused: \(reason)")
                sources.defaults.removeAll { $0.key == Self.userState?.key }
                configuration = try read(sources)
            }
        }
        let level = LogLevel(Logger.Level(rawValue: configuration.options.logLevel) ?? .info)
        let format = LogFormat(rawValue: configuration.options.logFormat) ?? .auto
        let logger = Logger(label: "cascaded") { _ in
            ServiceLogHandler(format, level: level, program: "cascaded")
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

    /// Creates the directory of the user's bus, unless the bus is served elsewhere. Prints the
    /// reason and exits with `EX_CONFIG` if the directory must not be used.
    private func makeBusDirectory(for configuration: DaemonConfiguration) throws {
        guard configuration.options.endpoints.contains(DefaultEndpoint.user) else {
            return
        }
        do {
            try DefaultEndpoint.createUserDirectory()
        } catch {
            Self.printError("\(error)")
            throw ExitCode(EX_CONFIG)
        }
    }

    /// Creates the default state directory of a user's bus. Returns the reason if that fails. A
    /// directory that was configured is not created here.
    private static func makeStateDirectory(of configuration: DaemonConfiguration) -> String? {
        guard let path = configuration.options.stateDirectory,
            configuration.origins["stateDirectory"] == userState?.origin
        else {
            return nil
        }
        return UserFolders.create(path)
    }

    /// The default state directory of a user's bus, as a setting; `nil` for a user without a home.
    private static var userState: PlacedSetting? {
        UserFolders.state.map { PlacedSetting("stateDirectory", .scalar($0), .flag("--user")) }
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
        if user {
            sources.folders = UserFolders.configuration.map { [$0] } ?? []
            sources.defaults = [
                PlacedSetting("listen", .list([DefaultEndpoint.user]), .flag("--user"))
            ]
            sources.defaults += Self.userState.map { [$0] } ?? []
        }
        if let folder = Self.inheritedStateDirectory {
            sources.defaults.append(
                PlacedSetting("stateDirectory", .scalar(folder), .variable("STATE_DIRECTORY")))
        }
        return sources
    }
}

/// The release of the daemon.
private enum Release {
    static let name = "cascaded 0.1.0"
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
