// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The values of a node's environment, and the preferences of its subtree, as last printed.
///
/// After a reconnect the bus sends a snapshot of all values; only the changed ones are printed.
struct WatchedValues {
    private struct Key: Hashable {
        let name: EventName
        let isPreference: Bool
    }

    private var values: [Key: String] = [:]

    /// Returns the lines to print for the changed values.
    mutating func lines(_ changes: EnvironmentChanges) -> [JSONValue] {
        var all = changes.changes
        if changes.isSnapshot {
            let current = Set(all.map { Key(name: $0.key, isPreference: $0.isPreference) })
            let removed = values.keys.filter { !current.contains($0) }
            all += removed.sorted { $0.name.description < $1.name.description }.map { key in
                EnvironmentChange(
                    key.name, old: nil, new: nil, isPreference: key.isPreference)
            }
        }
        return all.compactMap { line($0, isSnapshot: changes.isSnapshot) }
    }

    private mutating func line(_ change: EnvironmentChange, isSnapshot: Bool) -> JSONValue? {
        let key = Key(name: change.key, isPreference: change.isPreference)
        let known = values[key]
        values[key] = change.new
        guard !isSnapshot || known != change.new else {
            return nil
        }
        return .members([
            "lane": change.isPreference ? "preference" : "env",
            "key": .text(change.key),
            "value": change.new.map(JSONValue.init(value:)),
            "old": (isSnapshot ? known : change.old).map(JSONValue.init(value:)),
        ])
    }
}
