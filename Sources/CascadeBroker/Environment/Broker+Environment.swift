// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// Environment and preferences: setting and offering. Each message is one transaction: all of it
/// counts, or, when it throws, none.
extension Broker {
    mutating func set(_ message: SetEnvironment, by peer: PeerID) throws(WireError) {
        beginKeys(for: peers[peer].account, [message.assignments])
        if message.node == Header.noNode {
            try setFromOutside(message, by: peer)
        } else {
            let node = try hierarchy.node(message.node, of: peer)
            let prepared = try prepare(
                message.assignments, of: hierarchy.path(of: node), at: node, by: peer)
            try checkReducers([(node, prepared)], by: peer)
            try checkRoom(prepared, at: node)
            try checkRoomToKeep([(hierarchy.path(of: node), prepared)])
            assign(prepared, at: node, isWhole: false)
        }
        settleEnvironment()
        done(message.request, peer)
    }

    // MARK: - From outside

    private mutating func setFromOutside(
        _ message: SetEnvironment, by peer: PeerID
    ) throws(WireError) {
        guard let path = message.path else {
            throw WireError(.badPath, "what is set from outside needs a path to be set at")
        }
        try check(.set, path, by: peer)
        let assignments = message.assignments
        guard assignments.rules.isEmpty, assignments.offers.isEmpty,
            assignments.watchedKeys.isEmpty, assignments.watchedPreferences.isEmpty
        else {
            throw WireError(
                .noSuchNode,
                "only a node watches, offers or has rules; from outside values are set")
        }
        let limits = configuration.limits
        guard path.depth <= limits.depth else {
            throw WireError(
                .tooDeep,
                "the path is \(path.depth) components deep, more than \(limits.depth) "
                    + "(limit depth)")
        }
        let prepared = try prepare(assignments, of: path, at: nil, by: peer)
        try checkKept(prepared, at: path, by: peer)
        for setting in prepared.settings {
            keep(
                setting, .outside, for: path, by: Author(peers[peer].credentials),
                peers[peer].account)
        }
        if let place = hierarchy.find(path) {
            bindKept(to: [place])
        }
    }

    private func checkKept(
        _ prepared: PreparedAssignments, at path: NodePath, by peer: PeerID
    ) throws(WireError) {
        let kept = environment.kept[path]?.values ?? [:]
        var keys = Set(kept.keys)
        for setting in prepared.settings {
            if setting.value != nil {
                keys.insert(setting.key)
            } else {
                guard kept[setting.key] != nil else {
                    throw nothingKept(of: setting.key, at: path)
                }
                keys.remove(setting.key)
            }
        }
        let limits = configuration.limits
        try check(keys.count, "keys at one path", limits.keysPerNode, named: "keysPerNode")
        // A value of another user that is replaced makes room for that user.
        let account = peers[peer].account
        let own = kept.filter { $0.value.account == account }
        let set = Set(prepared.settings.filter { $0.value != nil }.map(\.key))
        let unset = Set(own.keys).subtracting(keys)
        try share(of: account, in: .keptValues)
            .check(set.subtracting(own.keys).count - unset.count)
    }

    private func nothingKept(of key: UInt32, at path: NodePath) -> WireError {
        let place = hierarchy.find(path)
        let isHeld = place.flatMap { environment.standing(key, at: $0)?.held } != nil
        return WireError(
            .noSuchKey,
            "'\(environment.keys[key])' is not set from outside at '\(path)'"
                + (isHeld ? ", but by the node there, which alone takes it back" : ""))
    }

    // MARK: - Checking

    /// Reads what is to be set and refuses what is wrong with it. Nothing is set yet.
    mutating func prepare(
        _ assignments: Assignments, of path: NodePath, at node: UInt32?, by peer: PeerID
    ) throws(WireError) -> PreparedAssignments {
        var prepared = PreparedAssignments()
        for setting in assignments.settings {
            let value = try setting.json.map { text throws(WireError) in
                KeyValue(try read(text, of: setting.key))
            }
            prepared.settings.append(
                PreparedAssignments.Setting(
                    key: try settableKey(setting.key), value: value,
                    isForItself: setting.isForItself, isSticky: setting.isSticky))
        }
        for offer in assignments.offers {
            let value = try offer.json.map { text throws(WireError) in
                try read(text, of: offer.key)
            }
            try check(value, fits: offer.reducer, offer.key)
            prepared.offers.append(
                PreparedAssignments.Offer(
                    key: try environment.keys.number(of: offer.key), value: value,
                    reducer: offer.reducer))
        }
        prepared.watchedKeys = try numbers(of: assignments.watchedKeys)
        prepared.watchedPreferences = try numbers(of: assignments.watchedPreferences)
        try prepareRules(assignments.rules, of: path, by: peer, &prepared)
        try checkCounts(prepared)
        let values = prepared.settings.compactMap(\.value)
        let valueByteCount = values.reduce(0) { $0 + $1.json.utf8.count }
        try checkBytes(valueByteCount + addedByteCount(prepared, at: node), of: peer)
        return prepared
    }

    /// What offers, rules and watches count beyond those that they take the place of.
    private func addedByteCount(_ prepared: PreparedAssignments, at node: UInt32?) -> Int {
        var added = prepared.model?.byteCount ?? 0
        if prepared.model != nil, let former = node.flatMap({ environment.models[$0] }) {
            added -= former.byteCount
        }
        for offer in prepared.offers {
            added += offer.value?.keptByteCount ?? 0
            added -= node.map { preferences.byteCount(of: offer.key, at: $0) } ?? 0
        }
        let watched = node.map { Set(environmentWatches[$0].map(\.key)) } ?? []
        let told = node.map { Set(preferences.watches[$0].map(\.key)) } ?? []
        let watches =
            prepared.watchedKeys.count { !watched.contains($0) }
            + prepared.watchedPreferences.count { !told.contains($0) }
        return max(0, added + Assignments.elementByteCount * watches)
    }

    private mutating func prepareRules(
        _ lines: [String], of path: NodePath, by peer: PeerID,
        _ prepared: inout PreparedAssignments
    ) throws(WireError) {
        guard !lines.isEmpty else {
            return
        }
        try check(
            lines.count, "rules of one node", configuration.limits.rulesPerNode,
            named: "rulesPerNode")
        prepared.model = try RuleCompiler.model(
            lines, of: path, since: now, by: Author(peers[peer].credentials),
            &environment.keys)
    }

    private mutating func numbers(of keys: [EventName]) throws(WireError) -> [UInt32] {
        var numbers: [UInt32] = []
        for key in keys {
            let number = try environment.keys.number(of: key)
            if !numbers.contains(number) {
                numbers.append(number)
            }
        }
        return numbers
    }

    private mutating func settableKey(_ key: EventName) throws(WireError) -> UInt32 {
        guard BuiltInKey(key) == nil else {
            throw WireError(.badKey, "'\(key)' is known by the bus, and nobody sets it")
        }
        return try environment.keys.number(of: key)
    }

    private func read(_ text: String, of key: EventName) throws(WireError) -> JSONValue {
        let limit = configuration.limits.valueBytes
        try check(text.utf8.count, "bytes of the value of '\(key)'", limit, named: "valueBytes")
        do {
            return try KeyValue.parse(text)
        } catch {
            throw WireError(.badValue, "the value of '\(key)' is \(error.description)")
        }
    }

    private func check(
        _ value: JSONValue?, fits reducer: PreferenceReducer, _ key: EventName
    ) throws(WireError) {
        guard let value, !reducer.takes(value) else {
            return
        }
        throw WireError(
            .badValue,
            "the preference '\(key)' is reduced by \(reducer.name), which takes "
                + "\(reducer.domain)")
    }

    private func checkCounts(_ prepared: PreparedAssignments) throws(WireError) {
        let limit = configuration.limits.keysPerNode
        for (count, what) in [
            (prepared.settings.count, "keys set by one node"),
            (prepared.watchedKeys.count, "keys watched by one node"),
            (prepared.offers.count, "preferences of one node"),
            (prepared.watchedPreferences.count, "preferences watched by one node"),
        ] {
            try check(count, what, limit, named: "keysPerNode")
        }
    }

    /// What is added to what a node has already must have room too.
    private func checkRoom(
        _ prepared: PreparedAssignments, at node: UInt32
    ) throws(WireError) {
        let limit = configuration.limits.keysPerNode
        let set = Set(prepared.settings.filter { $0.value != nil }.map(\.key))
            .union(environment.keys(at: node))
        try check(set.count, "keys set at one path", limit, named: "keysPerNode")
        let watched = Set(environmentWatches[node].map(\.key)).union(prepared.watchedKeys)
        try check(watched.count, "keys watched by one node", limit, named: "keysPerNode")
        let offered = Set(prepared.offers.map(\.key)).union(preferences.keys(of: node))
        try check(offered.count, "preferences of one node", limit, named: "keysPerNode")
        let told = Set(preferences.watches[node].map(\.key)).union(prepared.watchedPreferences)
        try check(
            told.count, "preferences watched by one node", limit, named: "keysPerNode")
    }

    /// What is sticky stays when its node has gone, so it needs room like what is set from outside.
    func checkRoomToKeep(
        _ nodes: [(path: NodePath, prepared: PreparedAssignments)]
    ) throws(WireError) {
        var count = 0
        for (path, prepared) in nodes {
            let kept = environment.kept[path]?.values ?? [:]
            let sticky = Set(
                prepared.settings.filter { $0.isSticky && $0.value != nil }.map(\.key))
            let new = sticky.subtracting(kept.keys)
            if !new.isEmpty {
                try check(
                    kept.count + new.count, "keys at one path", configuration.limits.keysPerNode,
                    named: "keysPerNode")
            }
            count += sticky.count { kept[$0]?.account != inputAccount }
        }
        try share(of: inputAccount, in: .keptValues).check(count)
    }

    /// A key has one reducer for all who offer it, those of these nodes included.
    ///
    /// A node is `nil` if it is not there yet. What these nodes offered before does not count: its
    /// offers are replaced, or its session is.
    func checkReducers(
        _ nodes: [(node: UInt32?, prepared: PreparedAssignments)], by peer: PeerID
    ) throws(WireError) {
        var declared: [UInt32: PreferenceReducer] = [:]
        let own = Set(nodes.compactMap(\.node))
        for (_, prepared) in nodes {
            for offer in prepared.offers where offer.value != nil {
                let other = declared[offer.key].map { ($0, "another node of this session") }
                let known = preferences.declaration(of: offer.key, beside: own).map { known in
                    let path = hierarchy.path(of: known.node)
                    return (
                        known.reducer, mayAct(.inspect, path, peer) ? "'\(path)'" : "another node"
                    )
                }
                if let (reducer, who) = known ?? other, reducer != offer.reducer {
                    throw WireError(
                        .otherReducer,
                        "the preference '\(environment.keys[offer.key])' is reduced by "
                            + "\(reducer.name), as \(who) declared first, and not by "
                            + "\(offer.reducer.name)")
                }
                declared[offer.key] = offer.reducer
            }
        }
    }
}
