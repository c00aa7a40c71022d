// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What changes for whom, and telling them: once a transaction, and only where it differs.
extension Broker {
    private typealias Changes = [NodeIndex: [EnvironmentChange]]

    var resolverFacts: ResolverFacts {
        ResolverFacts(
            bus: configuration.bus, host: configuration.host, hierarchy: hierarchy, peers: peers)
    }

    /// Tells nodes that have just attached how things stand, before anything else.
    mutating func tellSnapshots(_ nodes: [NodeIndex]) {
        guard !environmentWatches.isEmpty || !preferences.watches.isEmpty else {
            return
        }
        var resolver = Resolver(environment, resolverFacts)
        for node in nodes {
            guard let holder = hierarchy[node].holder else {
                continue
            }
            let watched = environmentWatches[node].map(\.key)
            let preferred = preferences.watches[node].map(\.key)
            guard !watched.isEmpty || !preferred.isEmpty else {
                continue
            }
            var changes: [EnvironmentChange] = []
            for (place, key) in watched.enumerated() {
                let value = resolver.resolve(key, for: node).value?.json
                environmentWatches.tell(value, place, of: node)
                if let value {
                    changes.append(
                        EnvironmentChange(environment.keys[key], old: nil, new: value))
                }
            }
            for key in preferred {
                let value = preferences.tell(key, of: node, in: hierarchy)
                if let value = value.new {
                    changes.append(
                        EnvironmentChange(
                            environment.keys[key], old: nil, new: value, isPreference: true))
                }
            }
            send(EnvironmentChanges(node: node.number, isSnapshot: true, changes), to: holder)
        }
        report(resolver.cycles)
    }

    /// Ends a transaction: whoever reads something else now is told.
    mutating func settleEnvironment() {
        guard !pendingChanges.isEmpty || preferences.hasPending else {
            return
        }
        environmentVersion += 1
        var changes: Changes = [:]
        settleValues(&changes)
        for (node, change) in preferences.settle(environment.keys, in: hierarchy) {
            changes[node, default: []].append(change)
        }
        for node in changes.keys.sorted() {
            // One whose peer is gone is about to become vacant.
            if let holder = hierarchy[node].holder, peers.isGreeted(holder),
                let told = changes[node]
            {
                send(EnvironmentChanges(node: node.number, told), to: holder)
                noteChanges(told, at: node)
            }
        }
    }

    private mutating func settleValues(_ changes: inout Changes) {
        let pending = pendingChanges.take()
        guard !environmentWatches.isEmpty, !pending.isEmpty else {
            return
        }
        // The keys that may read otherwise, for each place where something changed; none for all.
        var affectedKeys: [KeySet?] = []
        var affected: [NodeIndex: [Int]] = [:]
        for place in pending.keys.sorted() where hierarchy.contains(place) {
            var keys: KeySet?
            if case .these(let changed)? = pending[place] {
                keys = environment.dependents(of: changed)
            }
            for node in watchers(of: keys, below: place) {
                affected[node, default: []].append(affectedKeys.count)
            }
            affectedKeys.append(keys)
        }
        guard !affected.isEmpty else {
            return
        }
        let all = affectedKeys.contains { $0 == nil } ? nil : affectedKeys.compactMap(\.self)
        let relevant = all.map { sets in
            environment.inputs(of: sets.flatMap(\.numbers).filter(environmentWatches.isWatched))
        }
        var resolver = Resolver(environment, resolverFacts, relevant: relevant)
        for node in affected.keys.sorted() {
            let sets = affected[node]?.map { affectedKeys[$0] } ?? []
            compare(node, sets, &resolver, &changes)
        }
        report(resolver.cycles)
    }

    private mutating func compare(
        _ node: NodeIndex, _ sets: [KeySet?], _ resolver: inout Resolver, _ changes: inout Changes
    ) {
        for (place, watch) in environmentWatches[node].enumerated() {
            guard sets.contains(where: { $0?.contains(watch.key) ?? true }) else {
                continue
            }
            let value = resolver.resolve(watch.key, for: node).value?.json
            if value != watch.told {
                changes[node, default: []].append(
                    EnvironmentChange(environment.keys[watch.key], old: watch.told, new: value))
                environmentWatches.tell(value, place, of: node)
            }
        }
    }

    /// The nodes at and below a place that watch one of these keys; by whichever way is shorter.
    private func watchers(of keys: KeySet?, below place: NodeIndex) -> [NodeIndex] {
        let watched =
            keys.map { $0.numbers.filter(environmentWatches.isWatched) }
            ?? Array(environmentWatches.watchedKeys)
        let count = watched.reduce(0) { $0 + environmentWatches.watchers(of: $1).count }
        guard count > 0 else {
            return []
        }
        if let nodes = hierarchy.subtree(of: place, countMax: count) {
            return nodes.filter { !environmentWatches[$0].isEmpty }
        }
        var found: Set<NodeIndex> = []
        for key in watched {
            found.formUnion(environmentWatches.watchers(of: key))
        }
        return found.filter { hierarchy.isAtOrBelow($0, place) }
    }

    /// Says once that rules need one another.
    private mutating func report(_ cycles: [RuleCycle]) {
        for cycle in cycles where reportedCycles.count < 1024 {
            if !reportedCycles.contains(cycle) {
                reportedCycles.append(cycle)
                log(.cycle(cycle))
            }
        }
    }

    private mutating func noteChanges(_ changes: [EnvironmentChange], at node: NodeIndex) {
        guard !monitors.isEmpty else {
            return
        }
        for change in changes {
            var happening = Happening(
                .env, change.isPreference ? "preferred" : "changed",
                path: hierarchy.path(of: node), name: change.key)
            happening.when = now
            happening.message = change.new?.shortened
            // A value may come from any node above the reader, a preference from any below.
            happening.mentions = change.isPreference ? .anything : .places([.root])
            tellMonitors(happening)
        }
    }
}
