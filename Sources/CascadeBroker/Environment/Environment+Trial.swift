// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Rules from files that are checked, or tried, without being in force.
extension Environment {
    /// Throws the error in these files, if any.
    func check(_ files: [RuleModelFile], at now: Instant, _ limits: Limits) throws(WireError) {
        var keys = table.keys
        _ = try Self.model(of: files, at: now, limits, &keys)
    }

    static func model(
        of files: [RuleModelFile], at now: Instant, _ limits: Limits, _ keys: inout KeyTable
    ) throws(WireError) -> RuleModel {
        let model = try RuleCompiler.model(files, since: now, &keys)
        try Limits.check(
            model.rules.count, "rules in files", limits.fileRules, named: "fileRules")
        return model
    }

    /// The values as they would be with other rules.
    struct Trial {
        let table: EnvironmentTable
        /// The keys that may read otherwise.
        let keys: Set<KeyIndex>
        let ruleCount: Int
    }

    /// Returns the values that would result from another text of one file. The rules of a new file
    /// come last. Keys that only those rules name are numbered in the trial alone.
    func trial(
        of file: RuleModelFile, for account: AccountIndex, _ share: Share, at now: Instant,
        _ limits: Limits
    ) throws(WireError) -> Trial {
        var files = ruleFiles
        if let place = files.firstIndex(where: { $0.file == file.file }) {
            files[place] = file
        } else {
            files.append(file)
        }
        var other = table
        other.keys.begin(for: account, share)
        let model = try Self.model(of: files, at: now, limits, &other.keys)
        let changed = other.setModel(model, at: Hierarchy.root)
        let keys = Set(
            other.dependents(of: changed).elements()
                + table.dependents(of: changed).elements())
        return Trial(table: other, keys: keys, ruleCount: model.rules.count)
    }
}
