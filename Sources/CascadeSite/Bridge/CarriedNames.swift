// SPDX-License-Identifier: Apache-2.0

package import CascadeExpressions
package import CascadeWire

/// The names that a site lets cross to or from the site above.
package enum CarriedNames: Equatable, Sendable {
    case all
    /// The names that match one of these patterns.
    case matching([Glob])

    /// Whether a name crosses.
    package func contains(_ name: EventName) -> Bool {
        switch self {
        case .all: true
        case .matching(let globs): globs.contains { $0.matches(name.description) }
        }
    }
}

/// Who may look at a site from other sites.
package enum InspectionAccess: String, CaseIterable, Sendable {
    /// Inspectors of the site above, and of the sites whose requests it passes on, see what the policy of the
    /// site's own bus lets the bridge see.
    case parent
    /// No other site sees anything.
    case none
}
