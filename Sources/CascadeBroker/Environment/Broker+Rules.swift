// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The rules from files: the outermost model, replaced as a whole or not at all.
extension Broker {
    mutating func load(_ files: [RuleModelFile]) {
        // Their number has a limit of its own, and they are those of whoever runs the bus.
        beginKeys(for: AccountTable.own, wanted: files.isEmpty ? 0 : Int(UInt16.max))
        do throws(WireError) {
            let model = try model(of: files, &environment.keys)
            ruleFiles = files
            setModel(files.isEmpty ? nil : model, at: Hierarchy.root)
            settleEnvironment()
            log(.rulesLoaded(ruleCount: model.rules.count, fileCount: files.count))
        } catch {
            log(.filesRefused(.rules, sentence: error.description))
        }
    }

    /// What is wrong with these files; `nil` if they can be taken.
    package func refusal(of files: [RuleModelFile]) -> String? {
        var keys = environment.keys
        do throws(WireError) {
            _ = try model(of: files, &keys)
            return nil
        } catch {
            return error.description
        }
    }

    private func model(
        of files: [RuleModelFile], _ keys: inout KeyTable
    ) throws(WireError) -> RuleModel {
        let model = try RuleCompiler.model(files, since: now, &keys)
        let limit = configuration.limits.fileRules
        try check(model.rules.count, "rules in files", limit, named: "fileRules")
        return model
    }

    /// The model as it would be with another text of one file, whose rules stand last if it is new.
    func model(
        with file: RuleModelFile, _ keys: inout KeyTable
    ) throws(WireError) -> RuleModel {
        var files = ruleFiles
        if let place = files.firstIndex(where: { $0.file == file.file }) {
            files[place] = file
        } else {
            files.append(file)
        }
        return try model(of: files, &keys)
    }
}
