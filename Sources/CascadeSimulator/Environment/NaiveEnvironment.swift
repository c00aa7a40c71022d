// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
package import CascadeWire

/// A naive model of the environment: it computes each value anew by walking the tree and by recursion.
/// From the broker it uses only the tree. All values are small numbers.
package struct NaiveEnvironment {
    private struct Setting {
        var number: Int
        var isForItself: Bool
        var order: Int
        var isSetByNode = false
    }

    /// The error of a key that depends on itself.
    private struct Cycle: Error {
        var key: String
    }

    private var valuesOfNodes: [UInt32: [String: Setting]] = [:]
    private var valuesOfPaths: [NodePath: [String: Setting]] = [:]
    package var rules: [UInt32: [NaiveRule]] = [:]
    package var fileRules: [NaiveRule] = []
    package var offers: [UInt32: [String: Int]] = [:]
    private var lastOrder = 0

    package init() {}

    // MARK: - Changes

    /// Sets a value of a node; `nil` removes it.
    package mutating func set(
        _ key: String, _ number: Int?, isForItself: Bool, isSticky: Bool, _ node: UInt32,
        _ path: NodePath
    ) {
        lastOrder += 1
        let setting = number.map {
            Setting(number: $0, isForItself: isForItself, order: lastOrder, isSetByNode: true)
        }
        let staysWithPath = isSticky && number != nil
        let before = staysWithPath ? valuesOfPaths[path]?[key] : valuesOfNodes[node]?[key]
        if valuesOfPaths[path]?[key]?.isSetByNode == true, !staysWithPath {
            valuesOfPaths[path]?[key] = nil
        }
        if staysWithPath || number == nil {
            valuesOfNodes[node]?[key] = nil
        }
        if let before, before.isSetByNode, before.number == number,
            before.isForItself == isForItself
        {
            return
        }
        if staysWithPath {
            valuesOfPaths[path, default: [:]][key] = setting
        } else {
            valuesOfNodes[node, default: [:]][key] = setting
        }
    }

    /// Sets a value at a path from outside the tree; `nil` removes it.
    package mutating func setFromOutside(_ key: String, _ number: Int?, _ path: NodePath) {
        lastOrder += 1
        valuesOfPaths[path, default: [:]][key] = number.map {
            Setting(number: $0, isForItself: true, order: lastOrder)
        }
    }

    /// Applies a new declaration of a node: removes its rules and offers, and its values for all but
    /// `keys`.
    package mutating func declare(_ node: UInt32, keys: Set<String>) {
        valuesOfNodes[node] = valuesOfNodes[node]?.filter { keys.contains($0.key) }
        offers[node] = nil
        rules[node] = nil
    }

    /// Removes a node with its values, rules and offers.
    package mutating func withdraw(_ node: UInt32) {
        valuesOfNodes[node] = nil
        rules[node] = nil
        offers[node] = nil
    }

    // MARK: - Reading

    /// Returns the effective value of a key at a node; `nil` for none.
    package func value(
        of key: String, for node: UInt32, in places: [UInt32: TreePlace]
    ) -> Int? {
        try? value(of: key, for: node, resolving: [], places)
    }

    private func value(
        of key: String, for node: UInt32, resolving: [String], _ places: [UInt32: TreePlace]
    ) throws -> Int? {
        if let set = explicit(key, node, places) {
            return set
        }
        guard !resolving.contains(key) else {
            throw Cycle(key: key)
        }
        do {
            return try derived(key, node, resolving + [key], places)
        } catch let cycle as Cycle where cycle.key == key {
            return nil
        }
    }

    private func explicit(_ key: String, _ node: UInt32, _ places: [UInt32: TreePlace]) -> Int? {
        var next: UInt32? = node
        var isItself = true
        while let place = next, let found = places[place] {
            let settings = [valuesOfNodes[place]?[key], valuesOfPaths[found.path]?[key]]
            let visible = settings.compactMap(\.self).filter { !isItself || $0.isForItself }
            if let last = visible.max(by: { $0.order < $1.order }) {
                return last.number
            }
            isItself = found.isPresented
            next = found.parent
        }
        return nil
    }

    private func derived(
        _ key: String, _ node: UInt32, _ resolving: [String], _ places: [UInt32: TreePlace]
    ) throws -> Int? {
        var next: UInt32? = node
        while let place = next, let found = places[place] {
            let model = found.parent == nil ? fileRules : rules[place] ?? []
            for rule in Self.inOrder(model.filter { $0.key == key }) {
                guard try holds(rule.condition, node, resolving, places) else {
                    continue
                }
                switch rule.value {
                case .number(let number): return number
                case .key(let other):
                    return try value(of: other, for: node, resolving: resolving, places)
                }
            }
            next = found.parent
        }
        return nil
    }

    private static func inOrder(_ rules: [NaiveRule]) -> [NaiveRule] {
        var rest = rules
        var sorted: [NaiveRule] = []
        while let first = rest.first {
            let best = rest.dropFirst().reduce(first) { best, rule in
                (rule.priority, rule.complexity) > (best.priority, best.complexity) ? rule : best
            }
            let index = rest.firstIndex {
                ($0.priority, $0.complexity) == (best.priority, best.complexity)
            }
            sorted.append(rest.remove(at: index ?? 0))
        }
        return sorted
    }

    private func holds(
        _ condition: NaiveRule.Condition, _ node: UInt32, _ resolving: [String],
        _ places: [UInt32: TreePlace]
    ) throws -> Bool {
        func equals(_ key: String, _ number: Int) throws -> Bool {
            try value(of: key, for: node, resolving: resolving, places) == number
        }
        switch condition {
        case .always: return true
        case .equals(let key, let number): return try equals(key, number)
        case .not(let key, let number): return try !equals(key, number)
        case .both(let left, let first, let right, let second):
            return try equals(left, first) && equals(right, second)
        case .named(let name):
            return places[node]?.path.name == name
        }
    }

    // MARK: - Preferences

    /// Returns the sum of the offers in a subtree; `nil` without an offer.
    package func preference(
        _ key: String, at node: UInt32, in places: [UInt32: TreePlace]
    ) -> Int? {
        if let own = offers[node]?[key] {
            return own
        }
        let parts = (places[node]?.children ?? []).compactMap {
            preference(key, at: $0, in: places)
        }
        return parts.isEmpty ? nil : parts.reduce(0, +)
    }
}

/// A rule for keys whose values are small numbers. ``NaiveEnvironment`` evaluates it independently of
/// the broker.
package struct NaiveRule: Sendable {
    enum Condition {
        case always
        case equals(String, Int)
        case not(String, Int)
        case both(String, Int, String, Int)
        case named(String)
    }

    enum Value {
        case number(Int)
        case key(String)
    }

    var condition: Condition
    var key: String
    var value: Value
    var priority: Int

    /// The rule in the syntax of a rules file.
    package var text: String {
        let condition =
            switch condition {
            case .always: ""
            case .equals(let key, let number): "\(key) == \(number) => "
            case .not(let key, let number): "!(\(key) == \(number)) => "
            case .both(let left, let first, let right, let second):
                "\(left) == \(first) && \(right) == \(second) => "
            case .named(let name): "node.name == \"\(name)\" => "
            }
        let value =
            switch value {
            case .number(let number): "\(number)"
            case .key(let key): key
            }
        return "\(condition)\(key) <= \(value) ; \(priority)"
    }

    var complexity: Int {
        switch condition {
        case .always: 0
        case .equals, .not, .named: 1
        case .both: 2
        }
    }

    /// Creates a random rule for these keys and names of nodes.
    package init(
        keys: [String], names: [String], _ generator: inout Randomness
    ) {
        key = generator.pick(keys)
        priority = generator.pick([0, 50, 100, 100, 100])
        value =
            generator.isLucky(50)
            ? .key(generator.pick(keys)) : .number(generator.below(3))
        condition =
            switch generator.below(6) {
            case 0: .always
            case 1: .not(generator.pick(keys), generator.below(3))
            case 2: .named(generator.pick(names))
            case 3:
                .both(
                    generator.pick(keys), generator.below(3), generator.pick(keys),
                    generator.below(3))
            default: .equals(generator.pick(keys), generator.below(3))
            }
    }
}
