// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker

/// Finds out whether the files of rules are right before anything goes by them.
package enum RuleCheck {
    /// The files that the options name. Throws ``ConfigurationError`` if one cannot be read or is
    /// wrong.
    package static func files(
        of options: DaemonOptions
    ) throws(ConfigurationError) -> [RuleModelFile] {
        let files: [RuleModelFile]
        do throws(RuleFilesError) {
            files = try RuleFiles.read(options.rules)
        } catch {
            throw ConfigurationError(faults: [SettingFault(nil, error.description)])
        }
        if let sentence = refusal(of: files, options) {
            throw ConfigurationError(faults: [SettingFault(nil, sentence)])
        }
        return files
    }

    /// What a broker with these options and nothing else says to the files.
    private static func refusal(
        of files: [RuleModelFile], _ options: DaemonOptions
    ) -> String? {
        var configuration = BrokerConfiguration(bus: "", release: "", processID: 0)
        configuration.limits = options.limits
        let start = Instant(nanoseconds: 0)
        var broker = Broker(configuration: configuration, at: start)
        var effects: [Effect] = []
        broker.handle(.rules(files), at: start, into: &effects)
        for case .log(.rulesRefused(let sentence)) in effects {
            return sentence
        }
        return nil
    }
}
