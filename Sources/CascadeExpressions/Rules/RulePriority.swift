// SPDX-License-Identifier: Apache-2.0

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
