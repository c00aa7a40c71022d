// SPDX-License-Identifier: Apache-2.0

/// What a node reads of its environment and preferences at one moment. It never changes.
final class EnvironmentSnapshot: Sendable {
    /// The JSON of what has a value, by keys and by preferences.
    private let values: [String: String]
    private let preferences: [String: String]
    /// The values of the keys that the node watches, by the keys' types: each is decoded once.
    private let boxes: [ObjectIdentifier: any AnyObject & Sendable]
    private let table: BoxTable

    init() {
        values = [:]
        preferences = [:]
        boxes = [:]
        table = BoxTable([:])
    }

    /// The snapshot that follows `old`.
    ///
    /// - Parameters:
    ///   - old: what was read before.
    ///   - replacesAll: whether what the changes don't name has no value any more.
    ///   - keys: what the node watches.
    ///   - problems: takes a sentence for each value that is none of its key's.
    init(
        _ old: EnvironmentSnapshot, _ changes: [EnvironmentChange], replacesAll: Bool,
        keys: [ErasedKey], problems: inout [String]
    ) {
        var values = replacesAll ? [:] : old.values
        var preferences = replacesAll ? [:] : old.preferences
        for change in changes {
            if change.isPreference {
                preferences[change.key.description] = change.new
            } else {
                values[change.key.description] = change.new
            }
        }
        var boxes = old.boxes
        for key in keys {
            let json = key.isPreference ? preferences[key.name] : values[key.name]
            let known = key.isPreference ? old.preferences[key.name] : old.values[key.name]
            guard json != known || boxes[key.id] == nil else {
                continue
            }
            do {
                boxes[key.id] = try key.box(json)
            } catch {
                boxes[key.id] = key.empty
                problems.append("\(error)")
            }
        }
        self.values = values
        self.preferences = preferences
        self.boxes = boxes
        table = BoxTable(boxes)
    }

    /// The box of what is read under a key that is watched; `nil` for one that isn't.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        table[id]
    }

    /// What is read under a key that is watched; `nil` for one that isn't.
    func value<K: EnvironmentKey>(of key: K.Type) -> K.Value? {
        // A key's box is made by the key.
        table[ObjectIdentifier(key)].map { unsafeDowncast($0, to: ValueBox<K.Value>.self).value }
    }

    /// What is read of a preference that is watched; `nil` for one that isn't.
    func value<K: PreferenceKey>(of key: K.Type) -> K.Value? {
        table[ObjectIdentifier(key)].map { unsafeDowncast($0, to: ValueBox<K.Value>.self).value }
    }
}
