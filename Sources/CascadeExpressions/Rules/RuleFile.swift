// SPDX-License-Identifier: Apache-2.0

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
