// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random queries.
extension SeededGenerator {
    mutating func subject() -> Query.Subject {
        switch Int.random(in: 0...22, using: &self) {
        case 0: .tree(path: path(), depth: integer())
        case 1: .bus
        case 2: .trace(eventID())
        case 3: .undelivered
        case 4: .check
        case 5: .route(route())
        case 6: .monitor(monitorFilter())
        case 7: .environment(path: path(), key: maybe { $0.name() })
        case 8: .explanation(key: name(), path: path())
        case 9: .environmentTree(key: name(), path: path())
        case 10: .preferences(path: path())
        case 11: .rules
        case 12: .rulesDifference(file: text(), text: text())
        case 13: .policy
        case 14: .policyTest(PolicyTest(text(), at: path(), by: maybe { $0.identity() }))
        case 15: .metrics
        case 16: .summary(path: path())
        case 17: .sites
        case 20: .underWay
        case 21: .undeliveredEvent(eventID())
        case 18: .treeChanges(path: path(), depth: integer())
        case 19: .activity(path: path(), milliseconds: integer())
        default: .subscribers(name: name(), path: path())
        }
    }

    private mutating func identity() -> PolicyIdentity {
        // An identity without any attributes is encoded as none.
        PolicyIdentity(
            userID: integer(), groupIDs: [integer(), integer()], unit: text(),
            key: maybe { $0.text() })
    }
}
