// SPDX-License-Identifier: Apache-2.0

/// A policy file: one rule on each line, with comments from `#` to the end of the line.
///
///     allow|deny VERB, VERB… PATH to user NAME|group NAME|unit GLOB|key GLOB|everyone
///
/// A line `default none` omits the default rules for the socket's group.
package struct PolicyFile: Sendable {
    package let rules: [PolicyRule]
    /// Whether the file has a line `default none`.
    package let omitsDefault: Bool

    /// The maximum length of a line, in characters.
    package static let lineLengthMax = 4096

    /// Parses a whole file. Throws ``PolicyError`` for the first fault. A file without a statement is
    /// rejected, and so is a last line without a line feed, because the file may still be incomplete.
    ///
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - file: The name of the file in errors.
    ///   - names: The users and groups of the machine.
    package init(
        _ text: some StringProtocol, file: String, names: PolicyNames
    ) throws(PolicyError) {
        var rules: [PolicyRule] = []
        var omitsDefault = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            var parser = PolicyParser(
                Substring(line), file: file, line: index + 1, names: names)
            switch try parser.statement() {
            case .rule(let rule)?: rules.append(rule)
            case .omitDefault?: omitsDefault = true
            case nil: break
            }
        }
        let end = PolicyRule.Position(
            file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1)
        guard lines.last?.isEmpty ?? true else {
            throw PolicyError(
                "the last line does not end with a line feed, so the file may be incomplete",
                at: end)
        }
        guard !rules.isEmpty || omitsDefault else {
            throw PolicyError("the file has no rule", at: end)
        }
        self.rules = rules
        self.omitsDefault = omitsDefault
    }
}

/// An error in a policy file, with its position.
package struct PolicyError: Error, Equatable, CustomStringConvertible {
    package let position: PolicyRule.Position
    /// The message for a person, with the fault quoted and escaped.
    package let message: String

    package init(_ message: String, at position: PolicyRule.Position) {
        self.message = message
        self.position = position
    }

    /// `FILE:LINE:COLUMN: message`.
    package var description: String {
        "\(position): \(message)"
    }
}

/// The lookup of user and group IDs by name.
package struct PolicyNames {
    /// Returns the ID of a user; `nil` if the machine has no such user.
    package var userID: (String) -> UInt32?
    /// Returns the ID of a group; `nil` if the machine has no such group.
    package var groupID: (String) -> UInt32?

    package init(
        userID: @escaping (String) -> UInt32?, groupID: @escaping (String) -> UInt32?
    ) {
        self.userID = userID
        self.groupID = groupID
    }
}
