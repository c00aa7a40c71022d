// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The rules from files: the outermost model, replaced as a whole or not at all.
extension Broker {
    mutating func load(_ files: [RuleModelFile]) {
        // Their number has a limit of its own, and they are those of whoever runs the bus.
        beginKeys(for: AccountTable.own, wanted: files.isEmpty ? 0 : Int(UInt16.max))
        do throws(WireError) {
            let ruleCount = try environment.load(files, at: now, configuration.limits)
            settleEnvironment()
            log(.rulesLoaded(ruleCount: ruleCount, fileCount: files.count))
        } catch {
            log(.filesRefused(.rules, sentence: error.description))
        }
    }

    /// What is wrong with these files; `nil` if they can be taken.
    package func refusal(of files: [RuleModelFile]) -> String? {
        do throws(WireError) {
            try environment.check(files, at: now, configuration.limits)
            return nil
        } catch {
            return error.description
        }
    }
}
