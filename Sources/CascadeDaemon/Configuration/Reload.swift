// SPDX-License-Identifier: Apache-2.0

import CascadeService
import Logging

/// Reads the daemon's files again and applies all of them, or none.
struct Reload {
    /// The configuration in force. Settings that need a restart keep the values of the start.
    private var configuration: DaemonConfiguration
    private let sources: ConfigurationSources
    private let logger: Logger
    private let level: LogLevel

    init(
        _ configuration: DaemonConfiguration, _ sources: ConfigurationSources, _ logger: Logger,
        _ level: LogLevel
    ) {
        self.configuration = configuration
        self.sources = sources
        self.logger = logger
        self.level = level
    }

    /// Reloads. The outcome is reported to the log and the service manager.
    ///
    /// Keys are replaced first, so that a peer that loses its session cannot connect again with a
    /// removed key.
    ///
    /// - Parameter hasKey: whether the bus has a key, so that the authorized keys are needed.
    mutating func run(
        _ server: BrokerServer, _ guardServer: GuardServer, hasKey: Bool
    ) async {
        let hadPolicy = await server.hasPolicyFiles
        do throws(ConfigurationError) {
            let new = try DaemonConfiguration(reading: sources)
            let files = try DaemonFiles(of: new.options, hadPolicy: hadPolicy, hasKey: hasKey)
            if let keys = files.keys {
                await guardServer.admit(keys)
            }
            await apply(new, files, to: server)
        } catch {
            let faults = error.faults.map(\.description).joined(separator: "; ")
            await server.refuse(error.kind, "reload refused: \(faults)")
        }
    }

    private mutating func apply(
        _ new: DaemonConfiguration, _ files: DaemonFiles, to server: BrokerServer
    ) async {
        let changes = configuration.changes(to: new)
        var options = configuration.options
        for setting in changes where setting.effect == .atReload {
            setting.set(setting.value(in: new.options), in: &options)
        }
        for setting in changes where setting.effect == .atRestart {
            logger.log(
                LogRecord(
                    .warning, .restartNeeded,
                    "\(setting.key) has changed; a restart applies it",
                    [.setting: setting.key]))
        }
        configuration = DaemonConfiguration(options, new.origins)
        logger.warn(ofRenamedSettings: new)
        level.current = Logger.Level(rawValue: options.logLevel) ?? level.current
        await server.reconfigure(options)
        await server.reload(files)
        let names = changes.filter { $0.effect == .atReload }.map { setting in
            let text = setting.text(setting.value(in: options))
            return "\(setting.key) is \(text.isEmpty ? "unset" : text)"
        }
        let news = names.isEmpty ? "no setting changed" : names.joined(separator: ", ")
        logger.log(LogRecord(.info, .reloaded, "reloaded: \(news)"))
    }
}

extension Logger {
    /// Logs each setting that is in force under a name of an earlier release.
    func warn(ofRenamedSettings configuration: DaemonConfiguration) {
        for advice in configuration.advice {
            log(LogRecord(.warning, .renamedSetting, "\(advice)"))
        }
    }
}
