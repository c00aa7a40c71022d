// SPDX-License-Identifier: Apache-2.0

/// A rule that sets a key to a value where its predicate holds:
/// `predicate => key <= value ; priority`.
package struct Rule: Hashable, Sendable {
    /// The value that a rule assigns.
    package enum Value: Hashable, Sendable {
        /// The text of a JSON value.
        case json(String)

        /// The value of another key at the same node.
        case key(String)
    }

    /// The predicate; `nil` if the rule always holds.
    package let predicate: Predicate?
    package let key: String
    package let value: Value
    package let priority: Int

    /// The position of the rule in its file, counted from 1.
    package let line: Int
    package let column: Int

    /// The specificity of the rule: its predicate's complexity, or 0 without one.
    package var complexity: Int {
        predicate?.complexity ?? 0
    }
}

extension Rule: CustomStringConvertible {
    /// The rule as a line of a file, without a priority if it is the normal one.
    package var description: String {
        let condition = predicate.map { "\($0) => " } ?? ""
        let text =
            switch value {
            case .json(let json): json
            case .key(let key): key
            }
        let named = RulePriority(rawValue: priority).map { "\($0)" } ?? "\(priority)"
        let suffix = priority == RulePriority.normal.rawValue ? "" : " ; \(named)"
        return "\(condition)\(key) <= \(text)\(suffix)"
    }
}

/// The priorities with names. Among the rules for a key, the highest priority is evaluated first.
package enum RulePriority: Int, Sendable, CaseIterable {
    case important = 1000
    case veryHigh = 200
    case high = 150
    case normal = 100
    case low = 50
    case veryLow = 5
    case fallback = 0

    /// The valid numeric priorities.
    package static let range = -32_768...32_767

    init?(name: String) {
        guard let priority = Self.allCases.first(where: { "\($0)" == name }) else {
            return nil
        }
        self = priority
    }
}

/// A rules file: one rule on each line, with comments from `#` to the end of the line.
package enum RuleFile {
    /// The maximum length of a line, in bytes.
    package static let lineByteCountMax = 65_536

    /// Parses the rules, in the order of the file. Throws ``RuleFileError`` for the first fault.
    ///
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - file: The name of the file in errors.
    package static func parse(
        _ text: some StringProtocol, file: String
    ) throws(RuleFileError) -> [Rule] {
        let bytes = Array(text.utf8)
        var rules: [Rule] = []
        var start = 0
        var number = 1
        do throws(ExpressionError) {
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                guard end - start <= lineByteCountMax else {
                    let message = "the line has more than \(lineByteCountMax) bytes"
                    throw ExpressionError(message, at: start, in: bytes)
                }
                var parser = RuleParser(bytes, line: start..<end, number: number)
                if let rule = try parser.rule() {
                    rules.append(rule)
                }
                start = end + 1
                number += 1
            }
        } catch {
            throw RuleFileError(file: file, error: error)
        }
        return rules
    }
}

/// An error in a rules file, with its position.
package struct RuleFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let error: ExpressionError

    /// `FILE:LINE:COLUMN: message`.
    package var description: String {
        "\(file):\(error)"
    }
}
