// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// A file of rules, read here and not by a bus.
struct RulesText: Sendable {
    let file: String
    let text: String
    let ruleCount: Int
    /// What is wrong, line by line.
    let faults: [Fault]

    struct Fault: Sendable {
        let line: Int
        let column: Int
        let message: String
    }

    /// Throws ``Stop`` if the file cannot be read at all.
    init(readingFile path: String) throws {
        let source = path == "-" ? InputFile.standardInput : InputFile(path: path)
        let bytes: [UInt8]
        do {
            bytes = try source.read()
        } catch let stop as Stop {
            throw Stop(.configuration, stop.message)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Stop(.configuration, "\(path) is no UTF-8")
        }
        file = path
        self.text = text
        (ruleCount, faults) = Self.read(text, path)
    }

    /// Reads line by line, so that all faults are told and not the first alone.
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

    /// What the bus refuses though it can be read.
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

    /// Throws ``Stop`` if anything is wrong, once that has been said.
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
