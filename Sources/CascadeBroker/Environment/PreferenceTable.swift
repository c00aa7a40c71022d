// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What nodes offer, and what that is for those above them.
///
/// The value at a path is the node's own offer, or else its children's, reduced. What it is at each
/// place is kept only for keys that a node watches.
struct PreferenceTable: Sendable {
    struct Offer: Sendable {
        let value: JSONValue
        let reducer: PreferenceReducer
        let order: UInt64
        /// What counts for it against the bytes of its user.
        let byteCount: Int
    }

    /// For each key, by node.
    private var offers: [KeyIndex: [NodeIndex: Offer]] = [:]
    private var keysOfNodes: [NodeIndex: [KeyIndex]] = [:]
    private var lastOrder: UInt64 = 0
    var watches = WatchTable()

    /// For each key that is watched, what it is at each place where it is anything.
    private var reduced: [KeyIndex: [NodeIndex: JSONValue]] = [:]
    /// Where it is to be reduced again. With a place all those above it are here.
    private var outdated: [KeyIndex: Set<NodeIndex>] = [:]
    /// Watching nodes that may have to be told of it, once it is reduced everywhere.
    private var untold: [KeyIndex: Set<NodeIndex>] = [:]
    /// The key that was settled last, so that the next one gets its turn.
    private var lastSettled: KeyIndex?

    /// Whether anything has changed in the transaction that is under way; queries are to see that,
    /// even if no node watches.
    private(set) var hasChanges = false

    /// Whether a transaction has left something to be settled in later slices.
    var isUnsettled: Bool {
        !outdated.isEmpty || !untold.isEmpty
    }

    /// The keys that a node offers.
    func keys(of node: NodeIndex) -> [KeyIndex] {
        keysOfNodes[node] ?? []
    }

    /// What counts for the offers of a node against the bytes of its user.
    func byteCount(of node: NodeIndex) -> Int {
        keys(of: node).reduce(0) { $0 + byteCount(of: $1, at: node) }
    }

    func byteCount(of key: KeyIndex, at node: NodeIndex) -> Int {
        offers[key]?[node]?.byteCount ?? 0
    }

    /// The keys that nodes offer.
    var offeredKeys: [KeyIndex] {
        offers.keys.sorted()
    }

    /// The reducer of a key, and the first of the nodes that still offer it, beside some.
    func declaration(
        of key: KeyIndex, beside nodes: Set<NodeIndex>
    ) -> (reducer: PreferenceReducer, node: NodeIndex)? {
        let others = (offers[key] ?? [:]).lazy.filter { !nodes.contains($0.key) }
        return others.min { $0.value.order < $1.value.order }.map { ($0.value.reducer, $0.key) }
    }

    /// Says which keys are in use, and by whom.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        for (node, keys) in keysOfNodes {
            for key in keys {
                uses.count(key, by: account(node))
            }
        }
        watches.count(in: &uses, account)
    }

    // MARK: - Offering

    mutating func offer(
        _ value: JSONValue?, _ key: KeyIndex, _ reducer: PreferenceReducer, of node: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) {
        let known = offers[key]?[node]
        guard known?.value != value || known?.reducer != reducer else {
            return
        }
        if let value {
            lastOrder += 1
            offers[key, default: [:]][node] = Offer(
                value: value, reducer: reducer, order: known?.order ?? lastOrder,
                byteCount: value.keptByteCount(by: reducer, atDepth: hierarchy[node].links.depth))
            if known == nil {
                keysOfNodes[node, default: []].append(key)
            }
        } else {
            guard known != nil else {
                return
            }
            remove(key, of: node)
            keysOfNodes[node]?.removeAll { $0 == key }
            if keysOfNodes[node]?.isEmpty == true {
                keysOfNodes[node] = nil
            }
        }
        markChanged(key, at: node, in: hierarchy)
    }

    private mutating func remove(_ key: KeyIndex, of node: NodeIndex) {
        offers[key]?[node] = nil
        if offers[key]?.isEmpty == true {
            offers[key] = nil
        }
    }

    /// A node goes, with its offers and watches.
    mutating func withdraw(_ node: NodeIndex, in hierarchy: borrowing Hierarchy) {
        for key in keysOfNodes.removeValue(forKey: node) ?? [] {
            remove(key, of: node)
            markChanged(key, at: node, in: hierarchy)
        }
        watches.remove(node)
        forgetUnwatched()
    }

    /// A place is about to be moved, or has been, with what is below it.
    mutating func moves(_ moved: [NodeIndex], in hierarchy: borrowing Hierarchy) {
        guard !offers.isEmpty, let first = moved.first else {
            return
        }
        let keys = Set(moved.flatMap { keysOfNodes[$0] ?? [] })
        for key in keys {
            markChanged(key, at: hierarchy.parent(of: first), in: hierarchy)
        }
    }

    /// There is no such place any more.
    mutating func forget(_ place: NodeIndex) {
        for key in Array(reduced.keys) {
            reduced[key]?[place] = nil
        }
        for key in Array(outdated.keys) {
            outdated[key]?.remove(place)
        }
        for key in Array(untold.keys) {
            untold[key]?.remove(place)
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

    /// The node watches the key from now on; what it is, is told when changes are.
    mutating func watch(
        _ key: KeyIndex, of node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) {
        guard watches.add(key, of: node) else {
            return
        }
        hasChanges = true
        if reduced[key] == nil {
            reduced[key] = [:]
            outdated[key] = places(of: key, in: hierarchy)
        }
        untold[key, default: []].insert(node)
    }

    /// What no node watches need not be kept.
    mutating func forgetUnwatched() {
        for key in Array(reduced.keys) where !watches.isWatched(key) {
            reduced[key] = nil
            outdated[key] = nil
            untold[key] = nil
        }
    }

    /// What the watcher of a key is told now, and was last. What is not known yet is told later.
    mutating func tell(
        _ key: KeyIndex, of node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ budget: inout SettlingBudget
    ) -> (old: String?, new: String?) {
        _ = bringUpToDate(key, in: hierarchy, &budget)
        guard let place = watches[node].firstIndex(where: { $0.key == key }) else {
            return (nil, nil)
        }
        let old = watches[node][place].told
        let new = reduced[key]?[node]?.text
        budget.spendBytes((old?.utf8.count ?? 0) + (new?.utf8.count ?? 0))
        watches.tell(new, place, of: node)
        return (old, new)
    }

    /// Settles what the budget allows, one key after another. Returns what is to be told, by node.
    mutating func settle(
        _ keys: KeyTable, in hierarchy: borrowing Hierarchy, _ budget: inout SettlingBudget
    ) -> [(node: NodeIndex, change: EnvironmentChange)] {
        forgetUnwatched()
        hasChanges = false
        var told: [(node: NodeIndex, change: EnvironmentChange)] = []
        for key in unsettledKeys {
            guard !budget.isExhausted else {
                break
            }
            lastSettled = key
            guard bringUpToDate(key, in: hierarchy, &budget) else {
                continue
            }
            for node in (untold[key] ?? []).sorted() {
                guard !budget.isExhausted else {
                    break
                }
                untold[key]?.remove(node)
                let (old, new) = tell(key, of: node, in: hierarchy, &budget)
                if old != new {
                    let change = EnvironmentChange(
                        keys[key], old: old, new: new, isPreference: true)
                    told.append((node, change))
                }
            }
            if untold[key]?.isEmpty == true {
                untold[key] = nil
            }
        }
        if !isUnsettled {
            lastSettled = nil
        }
        return told
    }

    /// The keys that are not settled, in turn.
    private var unsettledKeys: [KeyIndex] {
        let keys = Set(outdated.keys).union(untold.keys).sorted()
        guard let lastSettled, let next = keys.firstIndex(where: { $0 > lastSettled }) else {
            return keys
        }
        return Array(keys[next...] + keys[..<next])
    }

    // MARK: - Reducing

    /// Reduces again where it may be something else, from below. Returns whether that is done.
    private mutating func bringUpToDate(
        _ key: KeyIndex, in hierarchy: borrowing Hierarchy, _ budget: inout SettlingBudget
    ) -> Bool {
        guard var places = outdated.removeValue(forKey: key), !places.isEmpty,
            var values = reduced.removeValue(forKey: key)
        else {
            return true
        }
        budget.spend(places.count / 4)
        let watchers = watches.watchers(of: key)
        for place in Self.fromBelow(places, in: hierarchy) {
            guard !budget.isExhausted else {
                break
            }
            places.remove(place)
            values[place] = reduce(key, at: place, values, in: hierarchy, &budget)
            if watchers.contains(place) {
                untold[key, default: []].insert(place)
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
        if let own = offers[key]?[place] {
            return own.value
        }
        guard let reducer = offers[key]?.first?.value.reducer else {
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
            budget.spend(values.reduce(0) { $0 + $1.size / 4 })
        }
        return values.isEmpty ? nil : reducer.reduce(values)
    }

    /// The places where the key is anything.
    private func places(
        of key: KeyIndex, in hierarchy: borrowing Hierarchy
    ) -> Set<NodeIndex> {
        var places: Set<NodeIndex> = []
        for node in (offers[key] ?? [:]).keys {
            var place = node
            while place != NodeIndex.none, places.insert(place).inserted {
                place = hierarchy.parent(of: place)
            }
        }
        return places
    }

    /// What the key would be at a place if only the offers of visible places counted: a reduction
    /// says something of each value that is in it.
    func value(
        of key: KeyIndex, at top: NodeIndex, in hierarchy: borrowing Hierarchy,
        for viewer: inout Viewer
    ) throws(WireError) -> JSONValue? {
        var own: [NodeIndex: JSONValue] = [:]
        var places: Set<NodeIndex> = []
        for (node, offer) in offers[key] ?? [:] {
            try viewer.spend(1)
            guard hierarchy.isAtOrBelow(node, top), viewer.sees(hierarchy.path(of: node)) else {
                continue
            }
            try viewer.spend(offer.value.byteCount / 16)
            own[node] = offer.value
            var place = node
            while places.insert(place).inserted, place != top {
                try viewer.spend(1)
                place = hierarchy.parent(of: place)
            }
        }
        guard let reducer = offers[key]?.first?.value.reducer else {
            return nil
        }
        var reduced: [NodeIndex: JSONValue] = [:]
        for place in Self.fromBelow(places, in: hierarchy) {
            let values = hierarchy.children(of: place).compactMap { reduced[$0] }
            try viewer.spend(
                1 + Int(hierarchy[place].links.childCount / 4)
                    + (values.count < 2 ? 0 : values.reduce(0) { $0 + $1.size }))
            reduced[place] = own[place] ?? (values.isEmpty ? nil : reducer.reduce(values))
        }
        return reduced[top]
    }

    private static func fromBelow(
        _ places: Set<NodeIndex>, in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        var byDepth: [(depth: UInt32, place: NodeIndex)] = []
        for place in places where hierarchy.contains(place) {
            byDepth.append((hierarchy[place].links.depth, place))
        }
        return byDepth.sorted { $0 > $1 }.map(\.place)
    }
}

extension JSONValue {
    /// How many values a reducer has to look at.
    fileprivate var size: Int {
        switch self {
        case .array(let elements): 1 + elements.count
        case .object(let members): 1 + members.count
        case .null, .bool, .number, .string: 1
        }
    }

    /// What counts for it where it is offered. A reducer that keeps the parts has them once more at
    /// each place above.
    func keptByteCount(by reducer: PreferenceReducer, atDepth depth: UInt32) -> Int {
        let count = Assignments.elementByteCount + byteCount
        return reducer.keepsParts ? count * max(1, Int(depth)) : count
    }

    /// The memory that it takes, roughly: a short element takes many times the bytes of its text.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .bool: 4
        case .number(let digits): digits.utf8.count
        case .string(let string): string.utf8.count
        case .array(let elements):
            elements.reduce(Assignments.elementByteCount) {
                $0 + MemoryLayout<JSONValue>.stride + $1.byteCount
            }
        case .object(let members):
            members.reduce(Assignments.elementByteCount) {
                $0 + MemoryLayout<JSONValue.Member>.stride + $1.key.utf8.count
                    + $1.value.byteCount
            }
        }
    }
}
