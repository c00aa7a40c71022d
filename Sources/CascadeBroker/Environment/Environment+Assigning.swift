// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The values, preferences and watches that nodes declare and callers set.
extension Environment {
    /// Reads assignments and checks them. Nothing has changed yet.
    mutating func prepare(
        _ assignments: Assignments, of path: NodePath, by author: Provenance, at now: Instant,
        _ limits: Limits
    ) throws(WireError) -> PreparedAssignments {
        try PreparedAssignments(assignments, of: path, by: author, at: now, limits, &table.keys)
    }

    /// Applies prepared assignments. A declaration is complete: a value that it omits is withdrawn.
    mutating func assign(
        _ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool, by assigner: Assigner,
        in hierarchy: borrowing Hierarchy, _ accounts: inout AccountTable
    ) -> [Assigned] {
        var assigned: [Assigned] = []
        if isWhole {
            let keys = Set(prepared.settings.map(\.key))
            for key in table.keys(at: node) where !keys.contains(key) {
                release(key, at: node, in: hierarchy, &assigned)
            }
        }
        for setting in prepared.settings {
            assign(setting, at: node, by: assigner, in: hierarchy, &accounts, &assigned)
        }
        // The rules at the root are those of files; a node there has none.
        if node != Hierarchy.root,
            prepared.model != nil || (isWhole && table.models[node] != nil)
        {
            setModel(prepared.model, at: node)
        }
        offer(prepared, at: node, isWhole: isWhole, in: hierarchy)
        if isWhole {
            watched.keepOnly(prepared.watchedKeys, of: node)
            preferences.watches.keepOnly(prepared.watchedPreferences, of: node)
        }
        for key in prepared.watchedKeys {
            watched.watch(key, by: node)
        }
        for key in prepared.watchedPreferences {
            preferences.watch(key, of: node, in: hierarchy)
        }
        return assigned
    }

    private mutating func assign(
        _ setting: PreparedAssignments.Setting, at node: NodeIndex, by assigner: Assigner,
        in hierarchy: borrowing Hierarchy, _ accounts: inout AccountTable,
        _ assigned: inout [Assigned]
    ) {
        let key = setting.key
        let path = hierarchy.path(of: node)
        let kept = table.kept[path]?.values[key]
        if setting.isSticky, setting.value != nil, node != Hierarchy.root {
            release(key, at: node, in: hierarchy, &assigned)
            if let kept = keep(setting, .stickyNode, for: path, by: assigner, &accounts) {
                assigned.append(kept)
            }
            bindKept(to: [node], in: hierarchy)
            return
        }
        if kept?.setter == .stickyNode {
            let nothing = PreparedAssignments.Setting(
                key: key, value: nil, isForItself: false, isSticky: true)
            if let kept = keep(nothing, .stickyNode, for: path, by: assigner, &accounts) {
                assigned.append(kept)
            }
        }
        guard let value = setting.value else {
            release(key, at: node, in: hierarchy, &assigned)
            return
        }
        var set = SetValue(
            value: value, setter: setting.isSticky ? .stickyNode : .node,
            isForItself: setting.isForItself, order: table.nextOrder(), since: assigner.now,
            author: assigner.author, account: assigner.account, isFallback: setting.isFallback)
        if var former = table.current(key, at: node)?.held, former.isSame(as: set) {
            if former.source != setting.source {
                former.setSource(setting.source, at: assigner.now)
                table.hold(former, key, at: node)
                version += 1
            }
            return
        }
        set.setSource(setting.source, at: assigner.now)
        table.hold(set, key, at: node)
        watched.markChanged([key], at: node)
        assigned.append(
            Assigned(path: path, key: table.keys[key], value: value, isByNode: true))
    }

    /// Keeps a value for a path, with or without a node there, or no longer. Returns `nil` if it is
    /// kept already.
    mutating func keep(
        _ setting: PreparedAssignments.Setting, _ setter: SetValue.Setter, for path: NodePath,
        by assigner: Assigner, _ accounts: inout AccountTable
    ) -> Assigned? {
        let set = setting.value.map { value in
            SetValue(
                value: value, setter: setter,
                isForItself: setting.isForItself || setter == .outside,
                order: nextOrder(of: setter, for: path),
                since: assigner.now, author: assigner.author, account: assigner.account)
        }
        let former = table.kept[path]?.values[setting.key]
        if let set, former?.isSame(as: set) == true, former?.account == assigner.account,
            setter == .stickyNode
        {
            return nil
        }
        if let place = table.kept[path]?.place {
            watched.markChanged([setting.key], at: place)
        }
        table.keep(set, setting.key, for: path, &accounts)
        version += 1
        return Assigned(
            path: path, key: table.keys[setting.key], value: setting.value,
            isByNode: setter != .outside)
    }

    /// Withdraws a sticky value that a former holder of the root has left there, if it has left one.
    mutating func releaseLeft(_ key: KeyIndex, in hierarchy: borrowing Hierarchy) -> [Assigned] {
        var assigned: [Assigned] = []
        release(key, at: Hierarchy.root, in: hierarchy, &assigned)
        return assigned
    }

    /// Returns the order of a value that is kept. At the root, a value from outside stands before all of
    /// the node there.
    private mutating func nextOrder(of setter: SetValue.Setter, for path: NodePath) -> UInt64 {
        let order = table.nextOrder()
        return path.isRoot && setter == .outside ? order | SetValue.firstOfRoot : order
    }

    /// Keeps a value that the daemon before kept. Returns whether it had room and was valid.
    mutating func restore(
        _ value: Handover.Value, for account: AccountIndex, at now: Instant, _ limits: Limits,
        _ accounts: inout AccountTable
    ) -> Bool {
        guard table.keptCount + table.stickyCount < limits.keptValues,
            let json = try? KeyValue.parse(value.json), BuiltInKey(value.key) == nil,
            let key = try? table.keys.number(of: value.key)
        else {
            return false
        }
        let setter: SetValue.Setter = value.isSticky ? .stickyNode : .outside
        var restored = SetValue(
            value: KeyValue(json), setter: setter, isForItself: value.isForItself,
            order: nextOrder(of: setter, for: value.path), since: min(value.since, now),
            author: value.author, account: account, isFallback: value.isFallback)
        restored.setSource(value.source.map { ValueSource($0, isStale: true) }, at: now)
        if value.path.isRoot, value.isSticky {
            table.hold(restored, key, at: Hierarchy.root)
        } else {
            table.keep(restored, key, for: value.path, &accounts)
        }
        return true
    }

    /// Withdraws a node's value of a key, if it has one.
    private mutating func release(
        _ key: KeyIndex, at node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ assigned: inout [Assigned]
    ) {
        guard table.current(key, at: node)?.held != nil else {
            return
        }
        table.hold(nil, key, at: node)
        watched.markChanged([key], at: node)
        assigned.append(
            Assigned(
                path: hierarchy.path(of: node), key: table.keys[key], value: nil, isByNode: true))
    }

    private mutating func offer(
        _ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool,
        in hierarchy: borrowing Hierarchy
    ) {
        if isWhole {
            let offered = Set(prepared.offers.map(\.key))
            for key in preferences.offers.keys(of: node) where !offered.contains(key) {
                preferences.offer(nil, key, .first, of: node, in: hierarchy)
            }
        }
        for offer in prepared.offers {
            preferences.offer(offer.value, offer.key, offer.reducer, of: node, in: hierarchy)
        }
    }

    /// Withdraws the values, preferences and watches of a node that leaves, in one step.
    mutating func withdraw(
        _ node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> [Assigned] {
        var assigned: [Assigned] = []
        for key in table.keys(at: node)
        where table.current(key, at: node)?.held?.setter != .stickyNode {
            release(key, at: node, in: hierarchy, &assigned)
        }
        if node != Hierarchy.root, table.models[node] != nil {
            setModel(nil, at: node)
        }
        watched.remove(node)
        preferences.withdraw(node, in: hierarchy)
        return assigned
    }
}
