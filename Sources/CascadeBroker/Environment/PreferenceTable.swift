// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What nodes offer, and what that is for those above them.
///
/// The value at a path is the node's own offer, or else its children's, reduced. What it is at each
/// place is kept only for keys that somebody watches.
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
    /// Where it may be something else now. With a place all those above it are here.
    private var pending: [KeyIndex: Set<NodeIndex>] = [:]

    /// Whether somebody offers something else, which queries are to see although nobody watches.
    private var hasUnseen = false

    /// Whether there is something to end a transaction for.
    var hasPending: Bool {
        hasUnseen || !pending.isEmpty
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

    /// The keys that anybody offers.
    var offeredKeys: [KeyIndex] {
        offers.keys.sorted()
    }

    /// The reducer of a key, and who declared it first of all who still offer it, beside some.
    func declaration(
        of key: KeyIndex, beside nodes: Set<NodeIndex>
    ) -> (reducer: PreferenceReducer, node: NodeIndex)? {
        let others = (offers[key] ?? [:]).lazy.filter { !nodes.contains($0.key) }
        return others.min { $0.value.order < $1.value.order }.map { ($0.value.reducer, $0.key) }
    }

    /// Says which keys are in use, and by whom.
    func note(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        for (node, keys) in keysOfNodes {
            for key in keys {
                uses.note(key, by: account(node))
            }
        }
        watches.note(in: &uses, account)
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
                byteCount: value.keptByteCount)
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
        note(key, at: node, in: hierarchy)
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
            note(key, at: node, in: hierarchy)
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
            note(key, at: hierarchy.parent(of: first), in: hierarchy)
        }
    }

    /// There is no such place any more.
    mutating func forget(_ place: NodeIndex) {
        for key in Array(reduced.keys) {
            reduced[key]?[place] = nil
        }
        for key in Array(pending.keys) {
            pending[key]?.remove(place)
        }
    }

    private mutating func note(
        _ key: KeyIndex, at node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) {
        hasUnseen = true
        guard reduced[key] != nil else {
            return
        }
        var place = node
        while place != NodeIndex.none {
            pending[key, default: []].insert(place)
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
        if reduced[key] == nil {
            reduced[key] = reduceAll(key, in: hierarchy)
        }
        pending[key, default: []].insert(node)
    }

    /// What nobody watches need not be kept.
    mutating func forgetUnwatched() {
        for key in Array(reduced.keys) where !watches.isWatched(key) {
            reduced[key] = nil
            pending[key] = nil
        }
    }

    /// What the watcher of a key is told now, and was last.
    mutating func tell(
        _ key: KeyIndex, of node: NodeIndex, in hierarchy: borrowing Hierarchy
    ) -> (old: String?, new: String?) {
        bringUpToDate(key, in: hierarchy)
        guard let place = watches[node].firstIndex(where: { $0.key == key }) else {
            return (nil, nil)
        }
        let old = watches[node][place].told
        let new = reduced[key]?[node]?.text
        watches.tell(new, place, of: node)
        return (old, new)
    }

    /// Ends a transaction. Returns what is to be told, by node.
    mutating func settle(
        _ keys: KeyTable, in hierarchy: borrowing Hierarchy
    ) -> [(node: NodeIndex, change: EnvironmentChange)] {
        forgetUnwatched()
        var told: [(node: NodeIndex, change: EnvironmentChange)] = []
        for key in pending.keys.sorted() {
            let places = pending[key] ?? []
            bringUpToDate(key, in: hierarchy)
            pending[key] = nil
            for node in places.intersection(watches.watchers(of: key)).sorted() {
                let (old, new) = tell(key, of: node, in: hierarchy)
                if old != new {
                    let change = EnvironmentChange(
                        keys[key], old: old, new: new, isPreference: true)
                    told.append((node, change))
                }
            }
        }
        hasUnseen = false
        return told
    }

    // MARK: - Reducing

    /// Reduces again where it may be something else, from below. What is pending stays so: those
    /// who watch there have not been told.
    private mutating func bringUpToDate(_ key: KeyIndex, in hierarchy: borrowing Hierarchy) {
        guard let places = pending[key], !places.isEmpty,
            var values = reduced.removeValue(forKey: key)
        else {
            return
        }
        for place in Self.fromBelow(places, in: hierarchy) {
            values[place] = reduce(key, at: place, values, in: hierarchy)
        }
        reduced[key] = values
    }

    private func reduce(
        _ key: KeyIndex, at place: NodeIndex, _ reduced: [NodeIndex: JSONValue],
        in hierarchy: borrowing Hierarchy
    ) -> JSONValue? {
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
            child = hierarchy.nextSibling(of: child)
        }
        return values.isEmpty ? nil : reducer.reduce(values)
    }

    /// What the key is at each place where it is anything.
    func reduceAll(
        _ key: KeyIndex, in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex: JSONValue] {
        var places: Set<NodeIndex> = []
        for node in (offers[key] ?? [:]).keys {
            var place = node
            while place != NodeIndex.none, places.insert(place).inserted {
                place = hierarchy.parent(of: place)
            }
        }
        var reduced: [NodeIndex: JSONValue] = [:]
        for place in Self.fromBelow(places, in: hierarchy) {
            reduced[place] = reduce(key, at: place, reduced, in: hierarchy)
        }
        return reduced
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
                Int(hierarchy[place].childCount / 4) + values.reduce(1) { $0 + $1.size })
            reduced[place] = own[place] ?? (values.isEmpty ? nil : reducer.reduce(values))
        }
        return reduced[top]
    }

    private static func fromBelow(
        _ places: Set<NodeIndex>, in hierarchy: borrowing Hierarchy
    ) -> [NodeIndex] {
        var byDepth: [(depth: UInt32, place: NodeIndex)] = []
        for place in places where hierarchy.contains(place) {
            byDepth.append((hierarchy[place].depth, place))
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

    /// What counts for it where it is kept as a preference.
    var keptByteCount: Int {
        Assignments.elementByteCount + byteCount
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
