// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The preferences that nodes offer.
struct PreferenceOffers: Sendable {
    struct Offer: Sendable {
        let value: JSONValue
        let reducer: PreferenceReducer
        let order: UInt64
        /// The bytes that the offer counts for against the limit of its user.
        let byteCount: Int
    }

    /// The offers of each key, by node.
    private var offers: [KeyIndex: [NodeIndex: Offer]] = [:]
    private var keysOfNodes: [NodeIndex: [KeyIndex]] = [:]
    private var lastOrder: UInt64 = 0

    var isEmpty: Bool {
        offers.isEmpty
    }

    /// The value that a node itself offers.
    func value(of key: KeyIndex, at node: NodeIndex) -> JSONValue? {
        offers[key]?[node]?.value
    }

    /// The reducer of a key that nodes offer; it is the same for all of them.
    func reducer(of key: KeyIndex) -> PreferenceReducer? {
        offers[key]?.first?.value.reducer
    }

    /// The nodes that offer a key.
    func nodes(of key: KeyIndex) -> [NodeIndex] {
        offers[key].map { Array($0.keys) } ?? []
    }

    /// The keys that a node offers.
    func keys(of node: NodeIndex) -> [KeyIndex] {
        keysOfNodes[node] ?? []
    }

    /// The bytes that the offers of a node count for against the limit of its user.
    func byteCount(of node: NodeIndex) -> Int {
        keys(of: node).reduce(0) { $0 + byteCount(of: $1, at: node) }
    }

    func byteCount(of key: KeyIndex, at node: NodeIndex) -> Int {
        offers[key]?[node]?.byteCount ?? 0
    }

    /// The keys that nodes offer.
    var keys: [KeyIndex] {
        offers.keys.sorted()
    }

    /// The reducer of a key and the first node that offers it, without the offers of `nodes`.
    func declaration(
        of key: KeyIndex, beside nodes: Set<NodeIndex>
    ) -> (reducer: PreferenceReducer, node: NodeIndex)? {
        let others = (offers[key] ?? [:]).lazy.filter { !nodes.contains($0.key) }
        return others.min { $0.value.order < $1.value.order }.map { ($0.value.reducer, $0.key) }
    }

    /// Counts the keys in use, each for the account of the node that offers it.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        for (node, keys) in keysOfNodes {
            for key in keys {
                uses.count(key, by: account(node))
            }
        }
    }

    // MARK: - Changing

    /// Sets or withdraws the offer of a node. Returns whether that changes it.
    mutating func offer(
        _ value: JSONValue?, _ key: KeyIndex, _ reducer: PreferenceReducer, of node: NodeIndex,
        in hierarchy: borrowing Hierarchy
    ) -> Bool {
        let known = offers[key]?[node]
        guard known?.value != value || (value != nil && known?.reducer != reducer) else {
            return false
        }
        guard let value else {
            remove(key, of: node)
            keysOfNodes[node]?.removeAll { $0 == key }
            if keysOfNodes[node]?.isEmpty == true {
                keysOfNodes[node] = nil
            }
            return true
        }
        lastOrder += 1
        offers[key, default: [:]][node] = Offer(
            value: value, reducer: reducer, order: known?.order ?? lastOrder,
            byteCount: value.keptByteCount(by: reducer, atDepth: hierarchy[node].links.depth))
        if known == nil {
            keysOfNodes[node, default: []].append(key)
        }
        return true
    }

    /// Removes the offers of a node that leaves. Returns their keys.
    mutating func removeAll(of node: NodeIndex) -> [KeyIndex] {
        let keys = keysOfNodes.removeValue(forKey: node) ?? []
        for key in keys {
            remove(key, of: node)
        }
        return keys
    }

    private mutating func remove(_ key: KeyIndex, of node: NodeIndex) {
        offers[key]?[node] = nil
        if offers[key]?.isEmpty == true {
            offers[key] = nil
        }
    }

    // MARK: - Reducing

    /// The places where a key has a value: the nodes that offer it and all places above them.
    func places(of key: KeyIndex, in hierarchy: borrowing Hierarchy) -> Set<NodeIndex> {
        var places: Set<NodeIndex> = []
        for node in nodes(of: key) {
            var place = node
            while place != NodeIndex.none, places.insert(place).inserted {
                place = hierarchy.parent(of: place)
            }
        }
        return places
    }

    /// The value of a key at a place if only the offers of visible places counted: a reduction
    /// discloses something of each value in it.
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
        guard let reducer = reducer(of: key) else {
            return nil
        }
        var reduced: [NodeIndex: JSONValue] = [:]
        for place in Self.fromBelow(places, in: hierarchy) {
            let values = hierarchy.children(of: place).compactMap { reduced[$0] }
            try viewer.spend(
                1 + Int(hierarchy[place].links.childCount / 4)
                    + (values.count < 2 ? 0 : values.reduce(0) { $0 + $1.elementCount }))
            reduced[place] = own[place] ?? (values.isEmpty ? nil : reducer.reduce(values))
        }
        return reduced[top]
    }

    /// The places, the deepest first.
    static func fromBelow(
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
    /// The number of values that a reducer examines.
    var elementCount: Int {
        switch self {
        case .array(let elements): 1 + elements.count
        case .object(let members): 1 + members.count
        case .null, .bool, .number, .string: 1
        }
    }

    /// Returns the bytes charged where it is offered. A reducer that keeps the parts stores them
    /// again at each ancestor.
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
