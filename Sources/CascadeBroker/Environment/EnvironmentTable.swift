// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is set, where and by which rules: everything that readers' values follow from.
///
/// It knows places by number. Its size is that of what is set; nothing is kept for who reads.
struct EnvironmentTable: Sendable {
    var keys: KeyTable
    /// What is set for each key, by place.
    private var values: [[UInt32: StandingValues]] = []
    /// The keys for which something is set at each place.
    private var keysAtPlaces: [UInt32: [UInt32]] = [:]
    /// What is kept for paths, whether there is a place or not.
    private(set) var kept: [NodePath: KeptValues] = [:]
    private(set) var keptCount = 0
    /// Bytes of the values that each user has set.
    private var byteCounts: [UInt32: Int] = [:]
    /// Grows with each change of what is kept.
    private(set) var keptVersion: UInt64 = 0
    /// The path of each place where values that are kept stand.
    private var boundPaths: [UInt32: NodePath] = [:]

    /// The rules of each node that has any, and those from files, at the root.
    private(set) var models: [UInt32: RuleModel] = [:]
    /// How many models have rules for a key.
    private var modelCounts: [UInt32: Int] = [:]
    /// The keys whose rules read a key, and how many rules do.
    private var dependents: [UInt32: [UInt32: Int]] = [:]
    /// The keys that the rules of a key read, and how many rules do.
    private var inputs: [UInt32: [UInt32: Int]] = [:]

    /// Grows with all that is set or unset.
    private(set) var lastOrder: UInt64 = 0

    /// What was set last comes behind all that was before.
    mutating func nextOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    init(keysMax: UInt32) {
        keys = KeyTable(limit: keysMax)
    }

    // MARK: - Reading

    /// What is set for a key at a place.
    func standing(_ key: UInt32, at place: UInt32) -> StandingValues? {
        key < values.count ? values[Int(key)][place] : nil
    }

    /// Whether the key is set anywhere at a place of the tree.
    func isSet(_ key: UInt32) -> Bool {
        key < values.count && !values[Int(key)].isEmpty
    }

    /// The keys that are set at a place.
    func keys(at place: UInt32) -> [UInt32] {
        keysAtPlaces[place] ?? []
    }

    /// Whether any rule is for the key.
    func hasRules(for key: UInt32) -> Bool {
        modelCounts[key] != nil
    }

    /// Keys that may have a value somewhere: something is set, or a rule is for them.
    var knownKeys: [UInt32] {
        (0..<UInt32(keys.end)).filter { isSet($0) || hasRules(for: $0) }
    }

    // MARK: - Setting

    /// Bytes of the values that a user has set.
    func byteCount(of userID: UInt32) -> Int {
        byteCounts[userID] ?? 0
    }

    private mutating func charge(_ value: SetValue?, inPlaceOf former: SetValue?) {
        if let former {
            byteCounts.add(-former.value.json.utf8.count, for: former.author.userID)
        }
        if let value {
            byteCounts.add(value.value.json.utf8.count, for: value.author.userID)
        }
    }

    /// Puts what a node sets, or takes back, in the place of what it set before.
    mutating func hold(_ value: SetValue?, _ key: UInt32, at place: UInt32) {
        charge(value, inPlaceOf: standing(key, at: place)?.held)
        update(key, at: place) { $0.held = value }
    }

    /// Keeps a value for a path; `nil` for nothing any more.
    mutating func keep(
        _ value: SetValue?, _ key: UInt32, for path: NodePath, _ accounts: inout AccountTable
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
        kept[path, default: KeptValues()].values[key] = value
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

    /// What is kept for a path counts at this place from now on. Returns its keys.
    mutating func bind(_ place: UInt32, to path: NodePath) -> [UInt32] {
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
    mutating func unbind(_ place: UInt32) {
        guard let path = boundPaths.removeValue(forKey: place) else {
            return
        }
        kept[path]?.place = nil
        for key in kept[path]?.values.keys.sorted() ?? [] {
            update(key, at: place) { $0.kept = nil }
        }
    }

    private mutating func update(
        _ key: UInt32, at place: UInt32, _ change: (inout StandingValues) -> Void
    ) {
        while values.count <= Int(key) {
            values.append([:])
        }
        var standing = values[Int(key)][place] ?? StandingValues()
        let wasEmpty = standing.isEmpty
        change(&standing)
        values[Int(key)][place] = standing.isEmpty ? nil : standing
        guard wasEmpty != standing.isEmpty else {
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

    /// Says which keys are in use, and by whom.
    ///
    /// - Parameter account: whose a place is.
    func note(in uses: inout KeyUses, _ account: (UInt32) -> UInt32) {
        for values in kept.values {
            for (key, value) in values.values {
                uses.note(key, by: value.account)
            }
        }
        for (place, keys) in keysAtPlaces {
            for key in keys where standing(key, at: place)?.held != nil {
                uses.note(key, by: account(place))
            }
        }
        for (place, model) in models {
            for rule in model.rules {
                uses.note(rule.key, by: account(place))
                for input in rule.inputs {
                    uses.note(input, by: account(place))
                }
            }
        }
    }

    // MARK: - Rules

    /// Puts a model in the place of the one before. Returns the keys of both.
    mutating func setModel(_ model: RuleModel?, at place: UInt32) -> [UInt32] {
        var changed: Set<UInt32> = []
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
    func dependents(of changed: [UInt32]) -> KeySet {
        reached(from: changed, by: dependents)
    }

    /// These keys and all that they depend on by rules.
    func inputs(of keys: [UInt32]) -> KeySet {
        reached(from: keys, by: inputs)
    }

    private func reached(
        from start: [UInt32], by edges: [UInt32: [UInt32: Int]]
    ) -> KeySet {
        var reached = KeySet()
        var pending = start
        while let key = pending.popLast() {
            if reached.insert(key), let next = edges[key] {
                pending += next.keys
            }
        }
        return reached
    }
}

extension [UInt32: Int] {
    /// What is counted down to nothing is forgotten.
    fileprivate mutating func add(_ number: Int, for key: UInt32) {
        let sum = (self[key] ?? 0) + number
        self[key] = sum == 0 ? nil : sum
    }
}
