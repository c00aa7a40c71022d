// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The assigned values and rules, from which every reader's values follow.
///
/// Places are known by index. The size is that of the assignments; nothing is stored for readers.
struct EnvironmentTable: Sendable {
    var keys: KeyTable
    /// The assigned values of each key, by place.
    private var values: [[NodeIndex: CurrentValues]] = []
    /// The keys for which something is set at each place.
    private var keysAtPlaces: [NodeIndex: [KeyIndex]] = [:]
    /// The values set for paths, whether the place exists or not.
    private(set) var kept: [NodePath: PathValues] = [:]
    private(set) var keptCount = 0
    /// How many sticky values the root has.
    private(set) var stickyCount = 0
    /// Bytes of the values that each account has set.
    private var byteCounts: [AccountIndex: Int] = [:]
    /// The version of the values set for paths; it grows with each change.
    private(set) var keptVersion: UInt64 = 0
    /// The path of each place where values that are kept stand.
    private var boundPaths: [NodeIndex: NodePath] = [:]

    /// The rules of each node that has any, and those from files, at the root.
    private(set) var models: [NodeIndex: RuleModel] = [:]
    /// How many models have rules for a key.
    private var modelCounts: [KeyIndex: Int] = [:]
    /// For each key, the keys whose rules read it, and the number of such rules.
    private var dependents: [KeyIndex: [KeyIndex: Int]] = [:]
    /// The keys that the rules of a key read, and how many rules do.
    private var inputs: [KeyIndex: [KeyIndex: Int]] = [:]

    /// Grows with all that is set or unset.
    private(set) var lastOrder: UInt64 = 0

    /// The order of assignments: the next one follows all previous ones.
    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    init(keysMax: UInt32) {
        keys = KeyTable(limit: keysMax)
    }

    // MARK: - Reading

    /// Returns the current values of a key at a place.
    func current(_ key: KeyIndex, at place: NodeIndex) -> CurrentValues? {
        key.slot < values.count ? values[key.slot][place] : nil
    }

    /// Whether the key is set anywhere at a place of the tree.
    func isSet(_ key: KeyIndex) -> Bool {
        key.slot < values.count && !values[key.slot].isEmpty
    }

    /// The keys that are set at a place.
    func keys(at place: NodeIndex) -> [KeyIndex] {
        keysAtPlaces[place] ?? []
    }

    /// Whether any rule is for the key.
    func hasRules(for key: KeyIndex) -> Bool {
        modelCounts[key] != nil
    }

    /// Keys that may have a value somewhere: something is set, or a rule is for them.
    var knownKeys: [KeyIndex] {
        (0..<UInt32(keys.end)).lazy.map { KeyIndex($0) }.filter { isSet($0) || hasRules(for: $0) }
    }

    // MARK: - Setting

    /// Bytes of the values that an account has set.
    func byteCount(of account: AccountIndex) -> Int {
        byteCounts[account] ?? 0
    }

    private mutating func charge(_ value: SetValue?, inPlaceOf former: SetValue?) {
        if let former {
            byteCounts.add(-former.byteCount, for: former.account)
        }
        if let value {
            byteCounts.add(value.byteCount, for: value.account)
        }
    }

    /// Replaces a node's value of a key; `nil` withdraws it.
    mutating func hold(_ value: SetValue?, _ key: KeyIndex, at place: NodeIndex) {
        let former = current(key, at: place)?.held
        charge(value, inPlaceOf: former)
        update(key, at: place) { $0.held = value }
        let isSticky = value?.setter == .stickyNode
        let wasSticky = former?.setter == .stickyNode
        if isSticky || wasSticky {
            keptVersion += 1
            stickyCount += (isSticky ? 1 : 0) - (wasSticky ? 1 : 0)
        }
    }

    /// The sticky values of the root, which stand beside those that are kept for its path: a value from
    /// outside goes before them, and does not replace them.
    var stickyAtRoot: [(key: KeyIndex, value: SetValue)] {
        keys(at: Hierarchy.root).compactMap { key in
            current(key, at: Hierarchy.root)?.held.map { (key, $0) }
        }.filter { $0.value.setter == .stickyNode }
    }

    /// Sets a value for a path; `nil` removes it.
    mutating func keep(
        _ value: SetValue?, _ key: KeyIndex, for path: NodePath, _ accounts: inout AccountTable
    ) {
        keptVersion += 1
        let before = kept[path]?.values[key]
        charge(value, inPlaceOf: before)
        if let before {
            accounts.release(1, .keptValues, from: before.account)
        }
        if let value {
            accounts.charge(1, .keptValues, to: value.account)
        }
        keptCount += (value == nil ? 0 : 1) - (before == nil ? 0 : 1)
        kept[path, default: PathValues()].values[key] = value
        let place = kept[path]?.place
        if kept[path]?.values.isEmpty == true {
            kept[path] = nil
            if let place {
                boundPaths[place] = nil
            }
        }
        if let place {
            update(key, at: place) { $0.kept = value }
        }
    }

    /// Applies the values set for a path to the place that now exists. Returns their keys.
    mutating func bind(_ place: NodeIndex, to path: NodePath) -> [KeyIndex] {
        guard boundPaths[place] != path, let values = kept[path]?.values else {
            return []
        }
        kept[path]?.place = place
        boundPaths[place] = path
        for (key, value) in values {
            update(key, at: place) { $0.kept = value }
        }
        return values.keys.sorted()
    }

    /// The place is no longer at the path for which something is kept, or no more.
    mutating func unbind(_ place: NodeIndex) {
        guard let path = boundPaths.removeValue(forKey: place) else {
            return
        }
        kept[path]?.place = nil
        for key in kept[path]?.values.keys.sorted() ?? [] {
            update(key, at: place) { $0.kept = nil }
        }
    }

    private mutating func update(
        _ key: KeyIndex, at place: NodeIndex, _ change: (inout CurrentValues) -> Void
    ) {
        while values.count <= key.slot {
            values.append([:])
        }
        var current = values[key.slot][place] ?? CurrentValues()
        let wasEmpty = current.isEmpty
        change(&current)
        values[key.slot][place] = current.isEmpty ? nil : current
        guard wasEmpty != current.isEmpty else {
            return
        }
        if wasEmpty {
            keysAtPlaces[place, default: []].append(key)
        } else {
            keysAtPlaces[place]?.removeAll { $0 == key }
            if keysAtPlaces[place]?.isEmpty == true {
                keysAtPlaces[place] = nil
            }
        }
    }

    /// Counts the keys in use, and the accounts that use them.
    ///
    /// - Parameter account: returns the account of the rules of a place.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        for values in kept.values {
            for (key, value) in values.values {
                uses.count(key, by: value.account)
            }
        }
        for (place, keys) in keysAtPlaces {
            for key in keys {
                if let held = current(key, at: place)?.held {
                    uses.count(key, by: held.account)
                }
            }
        }
        for (place, model) in models {
            for rule in model.rules {
                uses.count(rule.key, by: account(place))
                for input in rule.inputs {
                    uses.count(input, by: account(place))
                }
            }
        }
    }

    // MARK: - Rules

    /// Puts a model in the place of the one before. Returns the keys of both.
    mutating func setModel(_ model: RuleModel?, at place: NodeIndex) -> [KeyIndex] {
        var changed: Set<KeyIndex> = []
        if let former = models[place] {
            count(former, -1)
            changed.formUnion(former.keys)
        }
        models[place] = model
        if let model {
            count(model, 1)
            changed.formUnion(model.keys)
        }
        return changed.sorted()
    }

    private mutating func count(_ model: RuleModel, _ number: Int) {
        for key in model.keys {
            modelCounts.add(number, for: key)
        }
        for rule in model.rules {
            for input in rule.inputs {
                dependents[input, default: [:]].add(number, for: rule.key)
                inputs[rule.key, default: [:]].add(number, for: input)
            }
        }
    }

    /// These keys and all that depend on them by rules, whichever models they stand in.
    func dependents(of changed: [KeyIndex]) -> SlotSet<KeyIndex> {
        reached(from: changed, by: dependents)
    }

    /// These keys and all that they depend on by rules.
    func inputs(of keys: [KeyIndex]) -> SlotSet<KeyIndex> {
        reached(from: keys, by: inputs)
    }

    private func reached(
        from start: [KeyIndex], by edges: [KeyIndex: [KeyIndex: Int]]
    ) -> SlotSet<KeyIndex> {
        var reached = SlotSet<KeyIndex>()
        var pending = start
        while let key = pending.popLast() {
            if reached.insert(key), let next = edges[key] {
                pending += next.keys
            }
        }
        return reached
    }
}

extension Dictionary where Value == Int {
    /// An entry with a count of zero is removed.
    fileprivate mutating func add(_ number: Int, for key: Key) {
        let sum = (self[key] ?? 0) + number
        self[key] = sum == 0 ? nil : sum
    }
}
