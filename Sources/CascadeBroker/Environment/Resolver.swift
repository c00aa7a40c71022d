// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Resolves keys for readers, for the state at its creation.
///
/// Results are cached for its lifetime by the nearest ancestor of the reader where a relevant value
/// is set. A change at the root is thus evaluated once for all readers with the same result. Only
/// rules that read a node's built-in keys are evaluated for each reader.
struct Resolver {
    /// Rules ask for no more keys behind one another: a value that needs more is nothing. As each
    /// key is looked for once for a reader, that bounds the stack, and the rules bound the steps.
    static let depthMax = 128

    private struct Cell: Hashable {
        var view: View
        var key: KeyIndex
    }

    /// The reader of a value.
    private struct Reader {
        var node: NodeIndex
        var view: View
    }

    private struct Known {
        var resolved: Resolved
        /// The node that it was resolved for.
        var node: NodeIndex
    }

    let table: EnvironmentTable
    let context: ResolverContext
    /// The keys that may be asked for; `nil` if that is not known.
    private let relevant: SlotSet<KeyIndex>?
    private let hasNodeModels: Bool

    private var known: [Cell: Known] = [:]
    /// The built-in values of the node resolved last.
    private var builtIns: [BuiltInKey: Resolved] = [:]
    private var builtInsNode = NodeIndex.none
    /// The keys whose rules are being evaluated, each for the one before it.
    private var asking: [KeyIndex] = []
    /// The place in `asking` where a cycle that has shown itself begins.
    private var cycleStart = Int.max
    /// Whether more keys behind one another are needed than may be.
    private var isExhausted = false
    private var dependsOnNode = false
    /// How many keys behind one another were needed by now.
    private var height = 0
    /// Places and rules that were looked at.
    private(set) var steps = 0
    /// The cycles that have shown themselves.
    private(set) var cycles: [RuleCycle] = []

    init(_ table: EnvironmentTable, _ context: ResolverContext, relevant: SlotSet<KeyIndex>? = nil)
    {
        self.table = table
        self.context = context
        self.relevant = relevant
        hasNodeModels = table.models.count > (table.models[Hierarchy.root] == nil ? 0 : 1)
    }

    /// Returns the value of `key` for the node at a place.
    mutating func resolve(
        _ key: KeyIndex, for node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Resolved {
        steps += 1
        isExhausted = false
        dependsOnNode = false
        height = 0
        let view = canonical(View(place: node, isItself: true), in: hierarchy)
        let resolved = resolve(key, Reader(node: node, view: view), in: hierarchy, peers)
        asking = []
        cycleStart = .max
        return resolved
    }

    // MARK: - Views

    /// The outermost view that sees the same.
    private mutating func canonical(
        _ view: View, in hierarchy: borrowing Hierarchy
    ) -> View {
        var view = view
        while !hasContent(view.place), let outer = view.outer(in: hierarchy) {
            view = outer
            steps += 1
        }
        return view
    }

    private func hasContent(_ place: NodeIndex) -> Bool {
        if hasNodeModels, table.models[place] != nil {
            return true
        }
        let keys = table.keys(at: place)
        guard let relevant else {
            return !keys.isEmpty
        }
        return keys.contains { relevant.contains($0) }
    }

    // MARK: - Values

    private mutating func resolve(
        _ key: KeyIndex, _ reader: Reader, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Resolved {
        if let builtIn = table.keys.builtIn(key) {
            return resolve(builtIn, for: reader.node, in: hierarchy, peers)
        }
        let cell = Cell(view: reader.view, key: key)
        if let known = known[cell],
            !known.resolved.dependsOnNode || known.node == reader.node
        {
            dependsOnNode = dependsOnNode || known.resolved.dependsOnNode
            height = max(height, known.resolved.height)
            return known.resolved
        }
        steps += table.isSet(key) ? 1 + Int(hierarchy[reader.view.place].links.depth / 4) : 1
        if let place = explicitPlace(of: key, reader.view, in: hierarchy) {
            let resolved = Resolved(value: place.value, source: .set(place: place.place))
            known[cell] = Known(resolved: resolved, node: reader.node)
            return resolved
        }
        guard table.hasRules(for: key) else {
            guard let fallback = fallback(of: key, reader.view, in: hierarchy) else {
                return .nothing
            }
            known[cell] = Known(resolved: fallback, node: reader.node)
            return fallback
        }
        return askRules(cell, reader, in: hierarchy, peers)
    }

    /// The same reader asks again and again.
    private mutating func resolve(
        _ key: BuiltInKey, for node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Resolved {
        dependsOnNode = dependsOnNode || key.dependsOnNode
        if builtInsNode != node {
            builtIns = [:]
            builtInsNode = node
        }
        if let known = builtIns[key] {
            return known
        }
        let resolved = Resolved(
            value: context.value(of: key, for: node, in: hierarchy, peers), source: .builtIn,
            dependsOnNode: key.dependsOnNode)
        builtIns[key] = resolved
        return resolved
    }

    /// The nearest place where the key is set for this view.
    func explicitPlace(
        of key: KeyIndex, _ view: View, in hierarchy: borrowing Hierarchy
    ) -> (place: NodeIndex, value: KeyValue)? {
        guard table.isSet(key) else {
            return nil
        }
        var next: View? = view
        while let view = next {
            if let standing = table.current(key, at: view.place),
                let set = view.isItself ? standing.forItself : standing.forSubtree
            {
                return (view.place, set.value)
            }
            next = view.outer(in: hierarchy)
        }
        return nil
    }

    /// The value from the bus above for this view, which counts where nothing else gives one.
    private func fallback(
        of key: KeyIndex, _ view: View, in hierarchy: borrowing Hierarchy
    ) -> Resolved? {
        guard let fallback = table.current(key, at: Hierarchy.root)?.fallback else {
            return nil
        }
        var outermost = view
        while let outer = outermost.outer(in: hierarchy) {
            outermost = outer
        }
        guard !outermost.isItself || fallback.isForItself else {
            return nil
        }
        return Resolved(value: fallback.value, source: .fallback)
    }

    // MARK: - Rules

    private mutating func askRules(
        _ cell: Cell, _ reader: Reader, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Resolved {
        if let start = asking.firstIndex(of: cell.key) {
            cycleStart = min(cycleStart, start)
            // A key in a cycle depends on all that the others in it depend on, and those are
            // not through yet.
            dependsOnNode = true
            let cycle = RuleCycle(asking[start...].map { table.keys[$0] })
            if !cycles.contains(cycle) {
                cycles.append(cycle)
            }
            return Resolved(value: nil, source: .cycle)
        }
        guard asking.count < Self.depthMax else {
            isExhausted = true
            return Resolved(value: nil, source: .tooDeep)
        }
        let outer = (dependsOnNode: dependsOnNode, height: height)
        dependsOnNode = false
        height = 0
        asking.append(cell.key)
        var resolved = askModels(cell.key, reader, in: hierarchy, peers)
        if resolved.value == nil, !isInterrupted,
            let fallback = fallback(of: cell.key, reader.view, in: hierarchy)
        {
            resolved = fallback
        }
        asking.removeLast()
        if cycleStart <= asking.count {
            resolved = Resolved(value: nil, source: .cycle)
            if cycleStart == asking.count {
                cycleStart = .max
            }
        }
        resolved.height = height + 1
        isExhausted = isExhausted || resolved.height > Self.depthMax
        if isExhausted {
            resolved = Resolved(value: nil, source: .tooDeep)
        }
        resolved.dependsOnNode = dependsOnNode
        dependsOnNode = dependsOnNode || outer.dependsOnNode
        height = max(resolved.height, outer.height)
        if !isExhausted {
            known[cell] = Known(resolved: resolved, node: reader.node)
        }
        return resolved
    }

    private mutating func askModels(
        _ key: KeyIndex, _ reader: Reader, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Resolved {
        var place = hasNodeModels ? reader.view.place : Hierarchy.root
        while true {
            steps += 1
            if let model = table.models[place], model.has(key) {
                for number in model.candidates(for: key) {
                    // A long predicate asks for hundreds of keys, most of which are known already.
                    steps += 2 + model.rules[number].inputs.count / 4
                    guard holds(model.rules[number], reader, in: hierarchy, peers) else {
                        continue
                    }
                    return Resolved(
                        value: value(model.rules[number], reader, in: hierarchy, peers),
                        source: .rule(place: place, number: number))
                }
            }
            guard place != Hierarchy.root, !isInterrupted else {
                return .nothing
            }
            place = hierarchy.parent(of: place)
        }
    }

    /// Whether nothing more is worth asking for.
    private var isInterrupted: Bool {
        isExhausted || cycleStart != .max
    }

    private mutating func holds(
        _ rule: CompiledRule, _ reader: Reader, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Bool {
        guard !isInterrupted else {
            return false
        }
        guard let predicate = rule.predicate else {
            return true
        }
        let holds = predicate.evaluate { name in
            guard !isInterrupted, let key = table.keys.existingNumber(of: name) else {
                return nil
            }
            return resolve(key, reader, in: hierarchy, peers).value?.scalar
        }
        return holds && !isInterrupted
    }

    private mutating func value(
        _ rule: CompiledRule, _ reader: Reader, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> KeyValue? {
        switch rule.value {
        case .constant(let value): value
        case .key(let key): resolve(key, reader, in: hierarchy, peers).value
        }
    }

    // MARK: - Asking one rule

    /// Whether a rule holds for the node at a place, whichever rule decides; for explanations.
    mutating func holds(
        _ rule: CompiledRule, for node: NodeIndex, in hierarchy: borrowing Hierarchy,
        _ peers: borrowing PeerTable
    ) -> Bool {
        isExhausted = false
        height = 0
        let reader = Reader(
            node: node, view: canonical(View(place: node, isItself: true), in: hierarchy))
        asking = [rule.key]
        let holds = holds(rule, reader, in: hierarchy, peers)
        asking = []
        cycleStart = .max
        return holds
    }
}
