// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Checks of room for new values, and of agreement about reducers.
extension Environment {
    /// How many keys the assignments name that have no number, repetitions included. Rules are not
    /// read for this: each counts as a few.
    func countOfNewKeys(in assignments: [Assignments]) -> Int {
        assignments.reduce(0) { count, assignments in
            let keys =
                assignments.settings.map(\.key) + assignments.watchedKeys
                + assignments.offers.map(\.key) + assignments.watchedPreferences
            return count + keys.count { table.keys.existingNumber(of: $0) == nil }
                + 4 * assignments.rules.count
        }
    }

    /// Bytes of the values, and of offers, rules and watches beyond those that they replace at the
    /// node; `nil` for one that has not attached yet.
    ///
    /// - Parameter depth: How deep the node is in the tree.
    func byteCount(
        of prepared: PreparedAssignments, at node: NodeIndex?, depth: UInt32
    ) -> Int {
        var added = prepared.model?.byteCount ?? 0
        if prepared.model != nil, let former = node.flatMap({ table.models[$0] }) {
            added -= former.byteCount
        }
        for offer in prepared.offers {
            added += offer.value?.keptByteCount(by: offer.reducer, atDepth: depth) ?? 0
            added -= node.map { preferences.offers.byteCount(of: offer.key, at: $0) } ?? 0
        }
        let read = node.map { Set(watched.keys(of: $0)) } ?? []
        let preferred = node.map { Set(preferences.watches[$0].map(\.key)) } ?? []
        let new =
            prepared.watchedKeys.count { !read.contains($0) }
            + prepared.watchedPreferences.count { !preferred.contains($0) }
        let values = prepared.settings.reduce(0) { count, setting in
            count + (setting.value?.json.utf8.count ?? 0) + (setting.source?.text.utf8.count ?? 0)
        }
        return values
            + max(0, added + Assignments.elementByteCount * new)
    }

    /// Throws if the additions would exceed the node's limits.
    func checkRoom(
        for prepared: PreparedAssignments, at node: NodeIndex, _ limits: Limits
    ) throws(WireError) {
        let limit = limits.keysPerNode
        let set = prepared.setKeys.union(table.keys(at: node))
        try Limits.check(set.count, "keys set at one path", limit, named: "keysPerNode")
        let read = Set(watched.keys(of: node)).union(prepared.watchedKeys)
        try Limits.check(read.count, "keys watched by one node", limit, named: "keysPerNode")
        let offered = Set(prepared.offers.map(\.key)).union(preferences.offers.keys(of: node))
        try Limits.check(offered.count, "preferences of one node", limit, named: "keysPerNode")
        let preferred = Set(preferences.watches[node].map(\.key)).union(prepared.watchedPreferences)
        try Limits.check(
            preferred.count, "preferences watched by one node", limit, named: "keysPerNode")
    }

    /// Throws if the account has no room for the sticky values of these nodes. Such values stay
    /// when the node leaves, like values set from outside.
    func checkRoomToKeep(
        _ nodes: [(path: NodePath, prepared: PreparedAssignments)], for account: AccountIndex,
        _ share: Share, _ limits: Limits
    ) throws(WireError) {
        var count = 0
        for (path, prepared) in nodes where !path.isRoot {
            let kept = table.kept[path]?.values ?? [:]
            let sticky = prepared.stickyKeys
            let new = sticky.subtracting(kept.keys)
            if !new.isEmpty {
                try Limits.check(
                    kept.count + new.count, "keys at one path", limits.keysPerNode,
                    named: "keysPerNode")
            }
            count += sticky.count { kept[$0]?.account != account }
        }
        try share.check(count)
    }

    /// Throws if the account may not set or unset these values at a path from outside.
    ///
    /// - Parameters:
    ///   - place: the place at the path, if there is one.
    ///   - isVacant: whether no node is there.
    func checkKept(
        _ prepared: PreparedAssignments, for path: NodePath, at place: NodeIndex?, isVacant: Bool,
        for account: AccountIndex, _ share: Share, _ limits: Limits
    ) throws(WireError) {
        let kept = table.kept[path]?.values ?? [:]
        var keys = Set(kept.keys)
        for setting in prepared.settings {
            if setting.value != nil {
                keys.insert(setting.key)
            } else {
                let isLeft = isVacant && path.isRoot && isStickyAtRoot(setting.key)
                guard kept[setting.key] != nil || isLeft else {
                    throw nothingKept(of: setting.key, for: path, at: place)
                }
                keys.remove(setting.key)
            }
        }
        try Limits.check(
            keys.count, "keys at one path", limits.keysPerNode, named: "keysPerNode")
        // A value of another user that is replaced makes room for that user.
        let own = kept.filter { $0.value.account == account }
        let unset = Set(own.keys).subtracting(keys)
        try share.check(prepared.setKeys.subtracting(own.keys).count - unset.count)
    }

    private func isStickyAtRoot(_ key: KeyIndex) -> Bool {
        table.current(key, at: Hierarchy.root)?.held?.setter == .stickyNode
    }

    private func nothingKept(
        of key: KeyIndex, for path: NodePath, at place: NodeIndex?
    ) -> WireError {
        let isHeld = place.flatMap { table.current(key, at: $0)?.held } != nil
        return WireError(
            .noSuchKey,
            "'\(table.keys[key])' is not set from outside at '\(path)'"
                + (isHeld ? ", but by the node there, which alone takes it back" : ""))
    }

    /// A preference whose reducer differs from its key's reducer.
    struct ReducerConflict {
        let key: EventName
        let offered: PreferenceReducer
        let declared: PreferenceReducer
        /// The node that declared the reducer first; `nil` for one of those that are checked.
        let node: NodeIndex?
    }

    /// Returns the first conflict: a key has one reducer for all nodes that offer it, these
    /// included.
    ///
    /// A node is `nil` if it does not exist yet. The previous preferences of these nodes do not
    /// count: they are about to be replaced.
    func reducerConflict(
        _ nodes: [(node: NodeIndex?, prepared: PreparedAssignments)]
    ) -> ReducerConflict? {
        var declared: [KeyIndex: PreferenceReducer] = [:]
        let own = Set(nodes.compactMap(\.node))
        for (_, prepared) in nodes {
            for offer in prepared.offers where offer.value != nil {
                let known = preferences.offers.declaration(of: offer.key, beside: own)
                if let reducer = known?.reducer ?? declared[offer.key], reducer != offer.reducer {
                    return ReducerConflict(
                        key: table.keys[offer.key], offered: offer.reducer, declared: reducer,
                        node: known?.node)
                }
                declared[offer.key] = offer.reducer
            }
        }
        return nil
    }
}
