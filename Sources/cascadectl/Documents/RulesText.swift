// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// A rules file that was read here and not by a bus.
struct RulesText: Sendable {
    let file: String
    let text: String
    let ruleCount: Int
    /// The errors, one for each line.
    let faults: [Fault]

    struct Fault: Sendable {
        let line: Int
        let column: Int
        let message: String
    }

    /// Throws ``Stop`` if the file cannot be read.
    init(readingFile path: String) throws {
        let source = path == "-" ? InputFile.standardInput : InputFile(path: path)
        let bytes: [UInt8]
        do {
            bytes = try source.read()
        } catch let stop as Stop {
            throw Stop(.configuration, stop.message)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Stop(.configuration, "\(path) is not valid UTF-8")
        }
        file = path
        self.text = text
        (ruleCount, faults) = Self.read(text, path)
    }

    /// Parses line by line, to report all errors and not only the first.
    private static func read(_ text: String, _ file: String) -> (ruleCount: Int, [Fault]) {
        var ruleCount = 0
        var faults: [Fault] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            do throws(RuleFileError) {
                let rules = try RuleFile.parse(line, file: file)
                ruleCount += rules.count
                faults += rules.compactMap { Self.fault(of: $0, inLine: index + 1) }
            } catch {
                faults.append(
                    Fault(
                        line: index + 1, column: error.error.column, message: error.error.message))
            }
        }
        return (ruleCount, faults)
    }

    /// Returns the error of a rule that is syntactically valid but that the bus refuses.
    private static func fault(of rule: Rule, inLine line: Int) -> Fault? {
        do throws(NameError) {
            let key = try EventName(rule.key)
            return BuiltInKey(key).map {
                Fault(line: line, column: rule.column, message: $0.ruleRefusal)
            }
        } catch {
            return Fault(line: line, column: rule.column, message: error.description)
        }
    }

    /// Prints all errors. Throws ``Stop`` if there are any.
    func expectNoFaults() throws {
        for fault in faults {
            Output.explanation(place(of: fault).safeForTerminal)
        }
        if !faults.isEmpty {
            throw Stop(.configuration)
        }
    }

    func place(of fault: Fault) -> String {
        "\(file):\(fault.line):\(fault.column): \(fault.message)"
    }
}
