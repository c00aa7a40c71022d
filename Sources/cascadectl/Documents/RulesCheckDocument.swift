// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The result of a check of a rules file.
struct RulesCheckDocument: Document {
    let rules: RulesText

    init(text rules: RulesText) {
        self.rules = rules
    }

    var status: ExitStatus {
        rules.faults.isEmpty ? .done : .configuration
    }

    var json: JSONValue {
        .document(
            "rulesCheck",
            [
                "file": .string(rules.file), "rules": .integer(rules.ruleCount),
                "errors": .array(
                    rules.faults.map { fault in
                        .members([
                            "line": .integer(fault.line), "column": .integer(fault.column),
                            "message": .string(fault.message),
                        ])
                    }),
            ])
    }

    func text(_ style: Style) -> String {
        let count = rules.ruleCount == 1 ? "1 rule" : "\(rules.ruleCount) rules"
        return "\(rules.file): \(count)".safeForTerminal
    }
}
