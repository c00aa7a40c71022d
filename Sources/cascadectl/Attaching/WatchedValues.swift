// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// What a node of the shell was told of its environment and of the preferences below it.
///
/// After a reconnect the bus tells everything again; only what has changed meanwhile is news.
struct WatchedValues {
    private struct Key: Hashable {
        let name: EventName
        let isPreference: Bool
    }

    private var values: [Key: String] = [:]

    /// The lines that say what is different now.
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
    /// A value that the bus has taken for JSON.
    init(value text: String) {
        self = (try? JSONValue(parsing: text)) ?? .string(text)
    }
}
