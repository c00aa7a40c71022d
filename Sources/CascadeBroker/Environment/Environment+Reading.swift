// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Reading of values, rules, preferences and declarations, for answers and for the accounts.
extension Environment {
    /// Whether keys have been numbered that no account has been charged for.
    var hasUnchargedKeys: Bool {
        table.keys.madeCount > 0
    }

    /// The names of all keys, by number; those of numbers that are free included.
    var keyNames: [EventName] {
        table.keys.names
    }

    /// How many values are kept for paths.
    var keptCount: Int {
        table.keptCount
    }

    /// The version of the values set for paths; it grows with each change.
    var keptVersion: UInt64 {
        table.keptVersion
    }

    func number(of key: EventName) -> KeyIndex? {
        table.keys.existingNumber(of: key)
    }

    /// The number of a name that stands in a rule.
    func number(of key: String) -> KeyIndex? {
        table.keys.existingNumber(of: key)
    }

    /// The keys that may have a value somewhere, in the order of their names.
    var knownKeys: [EventName] {
        table.knownKeys.sorted(by: table.keys).map { table.keys[$0] }
    }

    /// Returns the current values of a key at a place.
    func current(_ key: KeyIndex, at place: NodeIndex) -> CurrentValues? {
        table.current(key, at: place)
    }

    /// Returns the value of a key that was set for a path.
    func kept(_ key: KeyIndex, for path: NodePath) -> SetValue? {
        table.kept[path]?.values[key]
    }

    /// The keys that are kept for a path, in the order of their names; `nil` for none.
    func keptKeys(for path: NodePath) -> [EventName]? {
        table.kept[path]?.values.keys.sorted(by: table.keys).map { table.keys[$0] }
    }

    /// The values set for all paths, in the order of their assignment.
    var keptValues: [(path: NodePath, key: EventName, value: SetValue)] {
        let kept = table.kept.flatMap { path, kept in
            kept.values.map { (path: path, key: table.keys[$0.key], value: $0.value) }
        }
        let sticky = table.stickyAtRoot.map { key, value in
            (path: NodePath.root, key: table.keys[key], value: value)
        }
        return (kept + sticky).sorted { left, right in
            left.value.order & ~SetValue.firstOfRoot < right.value.order & ~SetValue.firstOfRoot
        }
    }

    /// The rules of the node at a place; those from files at the root.
    func model(at place: NodeIndex) -> RuleModel? {
        table.models[place]
    }

    /// The places whose nodes have rules; also the root if there are rules from files.
    var placesWithRules: [NodeIndex] {
        Array(table.models.keys)
    }

    /// Reads values as they are now. It stays as it is when they change.
    func resolver(_ context: ResolverContext) -> Resolver {
        Resolver(table, context)
    }

    /// Returns the reduced preferences at a place, limited to those that the viewer may see.
    func preferences(
        at node: NodeIndex, in hierarchy: borrowing Hierarchy, for viewer: inout Viewer
    ) throws(WireError) -> [(key: String, value: JSONValue, reducer: PreferenceReducer)] {
        var members: [(key: String, value: JSONValue, reducer: PreferenceReducer)] = []
        for key in preferences.offers.keys.sorted(by: table.keys) {
            let value = try preferences.offers.value(of: key, at: node, in: hierarchy, for: &viewer)
            if let value, let declared = preferences.offers.declaration(of: key, beside: []) {
                members.append((table.keys[key].description, value, declared.reducer))
            }
        }
        return members
    }

    /// Bytes of the values that an account has set.
    func byteCount(of account: AccountIndex) -> Int {
        table.byteCount(of: account)
    }

    /// Returns the bytes of a node's preferences, watches and rules.
    func byteCount(declaredAt node: NodeIndex) -> Int {
        let model = node == Hierarchy.root ? nil : table.models[node]
        return preferences.offers.byteCount(of: node) + (model?.byteCount ?? 0)
            + Assignments.elementByteCount
            * (watched.keys(of: node).count + preferences.watches[node].count)
    }
}

extension Sequence<KeyIndex> {
    /// Keys in the order of their names.
    func sorted(by keys: KeyTable) -> [KeyIndex] {
        sorted { keys[$0].description < keys[$1].description }
    }
}
