// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy
import Glibc

/// The files that the options name, read and checked before any of them is applied.
package struct DaemonFiles: Sendable {
    let rules: [RuleModelFile]
    let policy: [PolicyFile]
    /// `nil` if the bus has no key.
    let keys: AuthorizedKeys?

    /// Reads the files. Throws ``ConfigurationError`` if one of them cannot be read or is invalid.
    ///
    /// - Parameters:
    ///   - hadPolicy: whether the policy in force was read from files.
    ///   - hasKey: whether the bus has a key, so that the authorized keys are needed.
    init(
        of options: DaemonOptions, hadPolicy: Bool, hasKey: Bool
    ) throws(ConfigurationError) {
        rules = try Self.rules(of: options)
        policy = try Self.policy(of: options, hadFiles: hadPolicy)
        keys = hasKey ? try Self.keys(of: options) : nil
    }

    /// Throws ``ConfigurationError`` if a file that a daemon with these options would read is
    /// invalid.
    package static func check(_ options: DaemonOptions) throws(ConfigurationError) {
        let key: ServerKey?
        do throws(KeyFileError) {
            key = try ServerKey.read(options.curveKey)
        } catch {
            throw ConfigurationError(.keys, error.description)
        }
        _ = try DaemonFiles(of: options, hadPolicy: false, hasKey: key != nil)
    }

    private static func rules(
        of options: DaemonOptions
    ) throws(ConfigurationError) -> [RuleModelFile] {
        let files: [RuleModelFile]
        do throws(GuardedFileError) {
            files = try RuleFiles.read(options.rules)
        } catch {
            throw ConfigurationError(.rules, RuleFiles.sentence(about: error))
        }
        // A broker with these limits checks the rules.
        var configuration = BrokerConfiguration(bus: "", release: "", processID: 0)
        configuration.limits = options.limits
        let broker = Broker(configuration: configuration, at: Instant(nanoseconds: 0))
        if let sentence = broker.refusal(of: files) {
            throw ConfigurationError(.rules, sentence)
        }
        return files
    }

    static func policy(
        of options: DaemonOptions, hadFiles: Bool
    ) throws(ConfigurationError) -> [PolicyFile] {
        do throws(GuardedFileError) {
            return try PolicyFiles(paths: options.policy).read(hadFiles: hadFiles)
        } catch {
            throw ConfigurationError(.policy, error.description)
        }
    }

    static func keys(of options: DaemonOptions) throws(ConfigurationError) -> AuthorizedKeys {
        guard let path = options.authorizedKeys else {
            return AuthorizedKeys()
        }
        do throws(KeyFileError) {
            return try KeyFiles.read(path)
        } catch {
            throw ConfigurationError(.keys, error.description)
        }
    }
}

/// Reads rule files, which only root and the daemon's user may write: a rule decides what nodes of
/// all users read.
enum RuleFiles {
    /// The folder that is read without configured paths.
    static let defaultFolder = "/etc/cascade/rules.d"

    /// Reads the files of `paths` in their order; of a folder the files that end in `.rules`, by
    /// name. Without paths, reads the default folder if it exists.
    static func read(_ paths: [String]) throws(GuardedFileError) -> [RuleModelFile] {
        guard !paths.isEmpty else {
            return access(defaultFolder, F_OK) == 0 || errno != ENOENT
                ? try read(path: defaultFolder) : []
        }
        var files: [RuleModelFile] = []
        for path in paths {
            files += try read(path: path)
        }
        return files
    }

    private static func read(path: String) throws(GuardedFileError) -> [RuleModelFile] {
        // The usual way to say that nothing is to be read.
        guard path != "/dev/null" else {
            return []
        }
        guard let names = try GuardedFile.names(inFolder: path, endingIn: ".rules") else {
            return [try read(file: path)]
        }
        var files: [RuleModelFile] = []
        for name in names {
            files.append(try read(file: "\(path)/\(name)"))
        }
        return files
    }

    private static func read(file: String) throws(GuardedFileError) -> RuleModelFile {
        RuleModelFile(file: file, text: try GuardedFile.read(file))
    }

    /// Returns the sentence about files that cannot be read, for the log and the user.
    static func sentence(about error: GuardedFileError) -> String {
        error.fault == nil
            ? "the rules in '\(error.path)' cannot be read: \(error.reason)" : error.description
    }
}
