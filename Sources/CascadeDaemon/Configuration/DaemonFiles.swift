// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy

/// The files that the options name, read and found right before anything goes by them: all of
/// them, or none.
package struct DaemonFiles: Sendable {
    let rules: [RuleModelFile]
    let policy: [PolicyFile]
    /// `nil` where nobody comes by a key.
    let keys: AuthorizedKeys?

    /// Throws ``ConfigurationError`` if one of the files cannot be read or is wrong.
    ///
    /// - Parameters:
    ///   - hadPolicy: whether the policy that stands was read from files.
    ///   - hasKey: whether the bus has a key, so that the keys of others are needed.
    init(
        of options: DaemonOptions, hadPolicy: Bool, hasKey: Bool
    ) throws(ConfigurationError) {
        rules = try Self.rules(of: options)
        policy = try Self.policy(of: options, hadFiles: hadPolicy)
        keys = hasKey ? try Self.keys(of: options) : nil
    }

    /// Throws ``ConfigurationError`` if a daemon with these options could not go by its files.
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
        do throws(RuleFilesError) {
            files = try RuleFiles.read(options.rules)
        } catch {
            throw ConfigurationError(.rules, error.description)
        }
        // A broker with these options and nothing else says whether they are right.
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
        do throws(PolicyFilesError) {
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
