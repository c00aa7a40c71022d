// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The last known environment of a node, and the preferences of its subtree.
///
/// After a reconnect the bus repeats all values; only changed ones are printed.
struct WatchedValues {
    private struct Key: Hashable {
        let name: EventName
        let isPreference: Bool
    }

    private var values: [Key: String] = [:]

    /// Returns the lines for the changed values.
    mutating func lines(_ changes: EnvironmentChanges) -> [JSONValue] {
        var news = changes.changes
        if changes.isSnapshot {
            let told = Set(news.map { Key(name: $0.key, isPreference: $0.isPreference) })
            let gone = values.keys.filter { !told.contains($0) }
            news += gone.sorted { $0.name.description < $1.name.description }.map { key in
                EnvironmentChange(
                    key.name, old: nil, new: nil, isPreference: key.isPreference)
            }
        }
        return news.compactMap { line($0, isSnapshot: changes.isSnapshot) }
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

extension JSONValue {
    /// Creates a value from JSON that the bus has accepted.
    init(value text: String) {
        self = (try? JSONValue(parsing: text)) ?? .string(text)
    }
}
