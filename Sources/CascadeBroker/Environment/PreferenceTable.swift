// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The preferences of nodes, reduced for their ancestors.
///
/// The value at a path is the node's own preference, or else its children's, reduced. Values at
/// each place are stored only for watched keys.
struct PreferenceTable: Sendable {
    private(set) var offers = PreferenceOffers()
    var watches = WatchTable()

    /// The reduced value of each watched key, at each place that has one.
    private var reduced: [KeyIndex: [NodeIndex: JSONValue]] = [:]
    /// The places at which each key is to be reduced again: with a place all those above it.
    private var outdated: [KeyIndex: Set<NodeIndex>] = [:]
    /// Watching nodes that may need a notice once the key is reduced everywhere.
    private var unsent: [KeyIndex: Set<NodeIndex>] = [:]
    /// The key that was settled last, so that the next one gets its turn.
    private var lastSettled: KeyIndex?

    /// Whether anything has changed in the transaction that is under way; queries are to see that,
    /// even if no node watches.
    private(set) var hasChanges = false

    /// Whether a transaction has left something to be settled in later slices.
    var isUnsettled: Bool {
        !outdated.isEmpty || !unsent.isEmpty
    }

    /// Counts the keys in use, each for the account of the node that offers or watches it.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        offers.count(in: &uses, account)
        watches.count(in: &uses, account)
    }

    // MARK: - Offering

    mutating func offer(
        _ value: JSONValue?, _ key: KeyIndex, _ reducer: PreferenceReducer, of node: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) {
        if offers.offer(value, key, reducer, of: node, in: hierarchy) {
            markChanged(key, at: node, in: hierarchy)
        }
    }

    /// Removes the offers and watches of a node that leaves.
    mutating func withdraw(_ node: NodeIndex, in hierarchy: borrowing Hierarchy) {
        for key in offers.removeAll(of: node) {
            markChanged(key, at: node, in: hierarchy)
        }
        watches.remove(node)
        forgetUnwatched()
    }

    /// Adapts to a move of a subtree, before and after it.
    mutating func moves(_ moved: [NodeIndex], in hierarchy: borrowing Hierarchy) {
        guard !offers.isEmpty, let first = moved.first else {
            return
        }
        let keys = Set(moved.flatMap { offers.keys(of: $0) })
        for key in keys {
            markChanged(key, at: hierarchy.parent(of: first), in: hierarchy)
        }
    }

    /// Forgets a place that has been removed.
    mutating func forget(_ place: NodeIndex) {
        for key in Array(reduced.keys) {
            reduced[key]?[place] = nil
        }
        for key in Array(outdated.keys) {
            outdated[key]?.remove(place)
        }
        for key in Array(unsent.keys) {
            unsent[key]?.remove(place)
        }
    }

    private mutating func markChanged(
        _ key: KeyIndex, at node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) {
        hasChanges = true
        guard reduced[key] != nil else {
            return
        }
        var place = node
        while place != NodeIndex.none, outdated[key, default: []].insert(place).inserted {
            place = hierarchy.parent(of: place)
        }
    }

    // MARK: - Watching

    /// Adds a watcher of the key; its value follows with the next notices.
    mutating func watch(
        _ key: KeyIndex, of node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) {
        guard watches.add(key, of: node) else {
            return
        }
        hasChanges = true
        if reduced[key] == nil {
            reduced[key] = [:]
            outdated[key] = offers.places(of: key, in: hierarchy)
        }
        unsent[key, default: []].insert(node)
    }

    /// Removes the reduced values of keys that no node watches.
    mutating func forgetUnwatched() {
        for key in Array(reduced.keys) where !watches.isWatched(key) {
            reduced[key] = nil
            outdated[key] = nil
            unsent[key] = nil
        }
    }

    /// Returns the notice for a watcher: the present value and the previous one. A value that is
    /// not reduced yet follows later.
    mutating func change(
        _ key: KeyIndex, of node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ budget: inout SettlingBudget
    ) -> (old: String?, new: String?) {
        _ = reduceWhereChanged(key, in: hierarchy, &budget)
        guard let place = watches[node].firstIndex(where: { $0.key == key }) else {
            return (nil, nil)
        }
        let old = watches[node][place].sent
        let new = reduced[key]?[node]?.text
        budget.spendBytes((old?.utf8.count ?? 0) + (new?.utf8.count ?? 0))
        watches.recordSent(new, place, of: node)
        return (old, new)
    }

    /// Reduces one key after another within the budget. Returns the notices, by node.
    mutating func settle(
        _ keys: KeyTable, in hierarchy: borrowing Hierarchy, _ budget: inout SettlingBudget
    ) -> [(node: NodeIndex, change: EnvironmentChange)] {
        forgetUnwatched()
        hasChanges = false
        var sent: [(node: NodeIndex, change: EnvironmentChange)] = []
        for key in unsettledKeys {
            guard !budget.isExhausted else {
                break
            }
            lastSettled = key
            guard reduceWhereChanged(key, in: hierarchy, &budget) else {
                continue
            }
            for node in (unsent[key] ?? []).sorted() {
                guard !budget.isExhausted else {
                    break
                }
                unsent[key]?.remove(node)
                let (old, new) = change(key, of: node, in: hierarchy, &budget)
                if old != new {
                    let change = EnvironmentChange(
                        keys[key], old: old, new: new, isPreference: true)
                    sent.append((node, change))
                }
            }
            if unsent[key]?.isEmpty == true {
                unsent[key] = nil
            }
        }
        if !isUnsettled {
            lastSettled = nil
        }
        return sent
    }

    /// The keys that are not settled, in turn.
    private var unsettledKeys: [KeyIndex] {
        let keys = Set(outdated.keys).union(unsent.keys).sorted()
        guard let lastSettled, let next = keys.firstIndex(where: { $0 > lastSettled }) else {
            return keys
        }
        return Array(keys[next...] + keys[..<next])
    }

    // MARK: - Reducing

    /// Reduces again where it may be something else, from below. Returns whether that is done.
    private mutating func reduceWhereChanged(
        _ key: KeyIndex, in hierarchy: borrowing Hierarchy, _ budget: inout SettlingBudget
    ) -> Bool {
        guard var places = outdated.removeValue(forKey: key), !places.isEmpty,
            var values = reduced.removeValue(forKey: key)
        else {
            return true
        }
        budget.spend(places.count / 4)
        let watchers = watches.watchers(of: key)
        for place in PreferenceOffers.fromBelow(places, in: hierarchy) {
            guard !budget.isExhausted else {
                break
            }
            places.remove(place)
            values[place] = reduce(key, at: place, values, in: hierarchy, &budget)
            if watchers.contains(place) {
                unsent[key, default: []].insert(place)
            }
        }
        reduced[key] = values
        places = places.filter { hierarchy.contains($0) }
        if !places.isEmpty {
            outdated[key] = places
        }
        return places.isEmpty
    }

    private func reduce(
        _ key: KeyIndex, at place: NodeIndex, _ reduced: [NodeIndex: JSONValue],
        in hierarchy: borrowing Hierarchy, _ budget: inout SettlingBudget
    ) -> JSONValue? {
        budget.spend(1)
        if let own = offers.value(of: key, at: place) {
            return own
        }
        guard let reducer = offers.reducer(of: key) else {
            return nil
        }
        var values: [JSONValue] = []
        var child = hierarchy.firstChild(of: place)
        while child != NodeIndex.none {
            if let value = reduced[child] {
                values.append(value)
            }
            budget.spend(1)
            child = hierarchy.nextSibling(of: child)
        }
        if values.count > 1 {
            budget.spend(values.reduce(0) { $0 + $1.elementCount / 4 })
        }
        return values.isEmpty ? nil : reducer.reduce(values)
    }
}
