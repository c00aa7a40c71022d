// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions

/// Checks that an accepted expression is written as an equal one.
enum ExpressionFuzzing {
    static func runPredicate(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let predicate = try Predicate(text)
            evaluate(predicate)
            let again = try? Predicate(predicate.description)
            precondition(again == predicate, "'\(predicate)' is written as another predicate")
        } catch {
            precondition(error.line > 0 && error.column > 0 && !error.message.isEmpty)
        }
    }

    static func runRules(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let rules = try? RuleFile.parse(text, file: "fuzz.rules") else {
            return
        }
        for rule in rules {
            if let predicate = rule.predicate {
                evaluate(predicate)
            }
            let again = try? RuleFile.parse(rule.description, file: "fuzz.rules")
            precondition(
                again?.map(\.description) == [rule.description],
                "'\(rule)' is written as another rule")
            precondition(again?.first?.complexity == rule.complexity)
        }
    }

    /// Evaluates the expression with its names undefined, and with values of each type.
    private static func evaluate(_ predicate: Predicate) {
        precondition(predicate.complexity >= 0)
        let names = Set(predicate.names)
        let values: [Scalar?] = [
            nil, .null, .boolean(true), .string("a/b"),
            TopLevelScalars(Array(#"{"n":1e3}"#.utf8))["n"],
        ]
        for value in values {
            _ = predicate.evaluate { name in
                precondition(names.contains(name), "'\(name)' is missing from the names")
                return value
            }
        }
    }
}
