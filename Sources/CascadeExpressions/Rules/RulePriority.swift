// SPDX-License-Identifier: Apache-2.0

/// The priorities that have a name. Among rules for a key, those of the greatest are asked first.
package enum RulePriority: Int, Sendable, CaseIterable {
    case important = 1000
    case veryHigh = 200
    case high = 150
    case normal = 100
    case low = 50
    case veryLow = 5
    case fallback = 0

    /// What may be written as a number.
    package static let range = -32_768...32_767

    init?(name: String) {
        guard let priority = Self.allCases.first(where: { "\($0)" == name }) else {
            return nil
        }
        self = priority
    }
}
