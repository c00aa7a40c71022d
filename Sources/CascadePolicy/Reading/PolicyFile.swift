// SPDX-License-Identifier: Apache-2.0

/// A file of policy: one rule on each line, with comments from `#` to the end of a line.
///
///     allow|deny VERB, VERB… PATH to user NAME|group NAME|unit GLOB|key GLOB|everyone
///
/// A line `default none` leaves out what the default policy gives the socket's group.
package struct PolicyFile: Sendable {
    package let rules: [PolicyRule]
    package let leavesOutDefault: Bool

    /// The longest line, in characters.
    package static let lineCountMax = 4096

    /// Reads all of a file, or throws for the first thing that is wrong with it. What says nothing
    /// at all is wrong, and so is a last line without an end: a file that was being written when
    /// it was read must not pass for the whole.
    ///
    /// - Parameters:
    ///   - text: what is in the file.
    ///   - file: what an error calls it.
    ///   - names: the users and groups of the machine.
    package init(
        _ text: some StringProtocol, file: String, names: PolicyNames
    ) throws(PolicyError) {
        var rules: [PolicyRule] = []
        var leavesOutDefault = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            var parser = PolicyParser(
                Substring(line), file: file, line: index + 1, names: names)
            switch try parser.statement() {
            case .rule(let rule)?: rules.append(rule)
            case .noDefault?: leavesOutDefault = true
            case nil: break
            }
        }
        let end = PolicyRule.Place(
            file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1)
        guard lines.last?.isEmpty ?? true else {
            throw PolicyError(
                "the last line has no end, so the file may be written by half", at: end)
        }
        guard !rules.isEmpty || leavesOutDefault else {
            throw PolicyError("the file has no rule", at: end)
        }
        self.rules = rules
        self.leavesOutDefault = leavesOutDefault
    }
}
