// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What nodes set, offer and watch: how it comes, is replaced and goes with them.
extension Broker {
    /// Checks what the nodes of an attach declare. Nothing is set when this throws.
    mutating func prepareAssignments(
        _ attach: Attach, by peer: PeerID
    ) throws(WireError) -> [PreparedAssignments] {
        beginKeys(for: peers[peer].account, attach.nodes.map(\.assignments))
        var prepared: [PreparedAssignments] = []
        for declaration in attach.nodes {
            prepared.append(
                try prepare(
                    declaration.assignments, of: declaration.path,
                    at: hierarchy.find(declaration.path), by: peer))
        }
        try checkReducers(
            zip(attach.nodes, prepared).map { declaration, prepared in
                (hierarchy.find(declaration.path), prepared)
            }, by: peer)
        try checkRoomToKeep(
            zip(attach.nodes, prepared).map { declaration, prepared in
                (declaration.path, prepared)
            })
        return prepared
    }

    /// Does what was prepared. A declaration is whole: what it does not say is taken back.
    mutating func assign(_ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool) {
        guard let holder = hierarchy[node].holder else {
            return
        }
        let author = Author(peers[holder].credentials)
        let account = peers[holder].account
        if isWhole {
            let keys = Set(prepared.settings.map(\.key))
            for key in environment.keys(at: node) where !keys.contains(key) {
                release(key, at: node)
            }
        }
        for setting in prepared.settings {
            assign(setting, at: node, by: author, account)
        }
        if isWhole
            ? prepared.model != nil || environment.models[node] != nil
            : prepared.model != nil
        {
            setModel(prepared.model, at: node)
        }
        offer(prepared, at: node, isWhole: isWhole)
        if isWhole {
            environmentWatches.keepOnly(prepared.watchedKeys, of: node)
            preferences.watches.keepOnly(prepared.watchedPreferences, of: node)
        }
        for key in prepared.watchedKeys where environmentWatches.add(key, of: node) {
            pendingChanges.note([key], at: node)
        }
        for key in prepared.watchedPreferences {
            preferences.watch(key, of: node, in: hierarchy)
        }
        chargeDeclared(at: node)
    }

    private mutating func assign(
        _ setting: PreparedAssignments.Setting, at node: NodeIndex, by author: Author,
        _ account: AccountIndex
    ) {
        let key = setting.key
        let path = hierarchy.path(of: node)
        let kept = environment.kept[path]?.values[key]
        if setting.isSticky, setting.value != nil {
            release(key, at: node)
            keep(setting, .stickyNode, for: path, by: author, account)
            bindKept(to: [node])
            return
        }
        if kept?.setter == .stickyNode {
            keep(
                PreparedAssignments.Setting(
                    key: key, value: nil, isForItself: false, isSticky: true), .stickyNode,
                for: path, by: author, account)
        }
        guard let value = setting.value else {
            release(key, at: node)
            return
        }
        let set = SetValue(
            value: value, setter: .node, isForItself: setting.isForItself,
            order: environment.nextOrder(), since: now, author: author, account: account)
        if environment.standing(key, at: node)?.held?.isSame(as: set) == true {
            return
        }
        environment.hold(set, key, at: node)
        pendingChanges.note([key], at: node)
        noteSet(key, value, at: path, isByNode: true)
    }

    /// Keeps a value for a path, whoever is there, or no longer.
    mutating func keep(
        _ setting: PreparedAssignments.Setting, _ setter: SetValue.Setter, for path: NodePath,
        by author: Author, _ account: AccountIndex
    ) {
        let set = setting.value.map { value in
            SetValue(
                value: value, setter: setter,
                isForItself: setting.isForItself || setter == .outside,
                order: environment.nextOrder(), since: now, author: author, account: account)
        }
        let former = environment.kept[path]?.values[setting.key]
        if let set, former?.isSame(as: set) == true, former?.account == account,
            setter == .stickyNode
        {
            return
        }
        if let place = environment.kept[path]?.place {
            pendingChanges.note([setting.key], at: place)
        }
        environment.keep(set, setting.key, for: path, &accounts)
        environmentVersion += 1
        noteSet(setting.key, setting.value, at: path, isByNode: setter != .outside)
    }

    /// Takes back what a node has set, where it has.
    private mutating func release(_ key: KeyIndex, at node: NodeIndex) {
        guard environment.standing(key, at: node)?.held != nil else {
            return
        }
        environment.hold(nil, key, at: node)
        pendingChanges.note([key], at: node)
        noteSet(key, nil, at: hierarchy.path(of: node), isByNode: true)
    }

    mutating func setModel(_ model: RuleModel?, at node: NodeIndex) {
        pendingChanges.note(environment.setModel(model, at: node), at: node)
        environmentVersion += 1
        reportedCycles = []
    }

    private mutating func offer(
        _ prepared: PreparedAssignments, at node: NodeIndex, isWhole: Bool
    ) {
        if isWhole {
            let offered = Set(prepared.offers.map(\.key))
            for key in preferences.keys(of: node) where !offered.contains(key) {
                preferences.offer(nil, key, .first, of: node, in: hierarchy)
            }
        }
        for offer in prepared.offers {
            preferences.offer(offer.value, offer.key, offer.reducer, of: node, in: hierarchy)
        }
    }

    /// A node goes: what it set, offered and watched goes with it, in one step.
    mutating func withdrawEnvironment(of node: NodeIndex) {
        for key in environment.keys(at: node) {
            release(key, at: node)
        }
        if environment.models[node] != nil {
            setModel(nil, at: node)
        }
        environmentWatches.remove(node)
        preferences.withdraw(node, in: hierarchy)
    }

    // MARK: - Places

    /// Values that are kept for the paths of these places, and of those above them, count there.
    mutating func bindKept(to nodes: [NodeIndex]) {
        guard !environment.kept.isEmpty else {
            return
        }
        // Places share most of those above them: a chain would be walked as often as it is long.
        var bound: Set<NodeIndex> = []
        for node in nodes {
            var place = node
            while bound.insert(place).inserted {
                let keys = environment.bind(place, to: hierarchy.path(of: place))
                pendingChanges.note(keys, at: place)
                guard place != Hierarchy.root else {
                    break
                }
                place = hierarchy.parent(of: place)
            }
        }
    }

    /// The node and what is below it is about to be, or has been, moved.
    mutating func environmentMoves(_ moved: [NodeIndex], isDone: Bool) {
        guard let node = moved.first else {
            return
        }
        preferences.moves(moved, in: hierarchy)
        guard isDone else {
            return
        }
        if !environment.kept.isEmpty {
            for place in moved {
                environment.unbind(place)
            }
            bindKept(to: moved)
        }
        pendingChanges.noteAll(at: node)
    }

    /// There is no such place any more.
    mutating func environmentForgets(_ place: NodeIndex) {
        environment.unbind(place)
        pendingChanges.forget(place)
        preferences.forget(place)
    }

    // MARK: - Telling

    /// Tells monitors. What a node sets as often as it likes is not kept for those to come.
    private mutating func noteSet(
        _ key: KeyIndex, _ value: KeyValue?, at path: NodePath, isByNode: Bool
    ) {
        guard !isByNode || !monitors.isEmpty else {
            return
        }
        var happening = Happening(
            .env, value == nil ? "unset" : "set", path: path, name: environment.keys[key])
        happening.message = value.map { $0.json.shortened }
        happening.mentions = .nothing
        if isByNode {
            happening.when = now
            tellMonitors(happening)
        } else {
            note(happening)
        }
    }
}

extension String {
    /// No more of a value than a person reads.
    var shortened: String {
        let most = 256
        return utf8.count <= most ? self : String(prefix(most)) + "…"
    }
}
