// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Explaining the value of a key for a node: every candidate in order, and the reason why it won or
/// lost.
extension Broker {
    mutating func explanationDocument(
        _ key: EventName, _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        if hierarchy.find(path) == nil, let number = environment.number(of: key),
            let kept = environment.kept(number, for: path)
        {
            return explanation(of: kept, key, at: path, &viewer)
        }
        let node = try reader(at: path)
        var candidates: [JSONValue] = []
        var resolved = Resolved.nothing
        var isHidden = false
        if let number = environment.number(of: key) {
            var resolver = environment.resolver(resolverContext)
            resolved = resolver.resolve(number, for: node, in: hierarchy, peers)
            isHidden = !isVisible(resolved, for: node, &resolver, &viewer)
            candidates = try setCandidates(number, node, resolved, &viewer)
            candidates += try ruleCandidates(number, node, resolved, &resolver, &viewer)
            candidates += fallbackCandidates(number, resolved, &viewer)
            try viewer.spend(resolver.steps)
        }
        if let builtIn = BuiltInKey(key) {
            resolved.value = resolverContext.value(of: builtIn, for: node, in: hierarchy, peers)
            candidates.append(
                Self.candidate(
                    "set", "the bus", resolved.value, hasWon: resolved.value != nil,
                    resolved.value == nil
                        ? "the bus knows of none here" : "the bus itself knows it"))
        }
        let hasValue = resolved.value != nil
        candidates.append(
            Self.candidate(
                "default", "the reader", nil, hasWon: !hasValue,
                hasValue
                    ? "there is a value"
                    : "nothing gives a value, so the reader's own default counts"))
        return .document(
            "explain",
            [
                "key": .text(key), "at": viewer.place(path),
                "value": isHidden ? nil : resolved.value?.document,
                "candidates": .array(candidates),
            ])
    }

    /// Explains a value from outside at a path without a node: it waits for one.
    private func explanation(
        of kept: SetValue, _ key: EventName, at path: NodePath, _ viewer: inout Viewer
    ) -> JSONValue {
        let place = viewer.place(path)
        let set = place.map { candidate(kept, at: $0, true, "it is the nearest value that is set") }
        let fallback = Self.candidate(
            "default", "the reader", nil, hasWon: false, "there is a value")
        return .document(
            "explain",
            [
                "key": .text(key), "at": place, "value": kept.value.document,
                "candidates": .array([set, fallback].compactMap(\.self)),
            ])
    }

    // MARK: - Assignments

    /// From the nearest place to the outermost; at one place the value set last first.
    private func setCandidates(
        _ key: KeyIndex, _ node: NodeIndex, _ resolved: Resolved, _ viewer: inout Viewer
    ) throws(WireError) -> [JSONValue] {
        var candidates: [JSONValue] = []
        var next: View? = View(place: node, isItself: true)
        var hasWinner = false
        while let view = next {
            let current = environment.current(key, at: view.place)
            let visible = view.isItself ? current?.forItself : current?.forSubtree
            let values = [current?.held, current?.kept].compactMap(\.self).filter { !$0.isFallback }
            let place = viewer.place(hierarchy.path(of: view.place))
            try viewer.spend(Int(hierarchy[view.place].links.depth) / 8)
            try viewer.spend(values.reduce(1) { $0 + 8 + $1.value.json.utf8.count / 16 })
            for value in values.sorted(by: { $0.order > $1.order }) {
                let wins = value == visible && !hasWinner
                if let place {
                    let why = why(value, wins, visible, view, of: node, hasWinner)
                    candidates.append(candidate(value, at: place, wins, why))
                }
                hasWinner = hasWinner || wins
            }
            next = view.outer(in: hierarchy)
        }
        return candidates
    }

    private func why(
        _ value: SetValue, _ wins: Bool, _ visible: SetValue?, _ view: View, of node: NodeIndex,
        _ hasWinner: Bool
    ) -> String {
        if wins {
            return "it is the nearest value that is set"
        }
        if view.isItself, !value.isForItself {
            let reader = hierarchy.path(of: view.place)
            return view.place == node
                ? "it is set for what is below '\(reader)', not for '\(reader)' itself"
                : "'\(reader)' presents the reader, which reads as '\(reader)' itself does"
        }
        if let visible, visible != value, !hasWinner || visible.order > value.order {
            if view.place == Hierarchy.root, visible.setter == .outside, value.setter != .outside {
                return "a value from outside goes before those of the node at '/'"
            }
            return "another value was set later at this path"
        }
        return "a nearer value is set"
    }

    private func candidate(
        _ value: SetValue, at place: JSONValue, _ wins: Bool, _ why: String
    ) -> JSONValue {
        let how =
            switch value.setter {
            case .node: "\(value.author)"
            case .stickyNode: "\(value.author), sticky"
            case .outside: "\(value.author), from outside"
            }
        return Self.candidate(
            value.isFallback ? "fallback" : "set", place, value.value, hasWon: wins, why,
            since: wallClock.time(value.since), by: how, source: source(of: value),
            staleSince: staleSince(of: value))
    }

    /// The value from the bus above that counts where nothing else gives one.
    private func fallbackCandidates(
        _ key: KeyIndex, _ resolved: Resolved, _ viewer: inout Viewer
    ) -> [JSONValue] {
        guard let fallback = environment.current(key, at: Hierarchy.root)?.fallback,
            let place = viewer.place(.root)
        else {
            return []
        }
        let wins = resolved.source == .fallback
        let why =
            wins
            ? "neither a value nor a rule gives one"
            : resolved.value == nil ? "it is not read here" : "there is a value"
        return [candidate(fallback, at: place, wins, why)]
    }

    // MARK: - Rules

    private func ruleCandidates(
        _ key: KeyIndex, _ node: NodeIndex, _ resolved: Resolved, _ resolver: inout Resolver,
        _ viewer: inout Viewer
    ) throws(WireError) -> [JSONValue] {
        var candidates: [JSONValue] = []
        var isDecided = if case .set = resolved.source { true } else { false }
        var place = node
        while place != NodeIndex.none {
            try viewer.spend(1 + Int(hierarchy[place].links.depth) / 8)
            let isVisible = viewer.sees(hierarchy.path(of: place))
            if let model = environment.model(at: place) {
                for number in model.candidates(for: key) {
                    let rule = model.rules[number]
                    try viewer.spend(16 + rule.inputs.count * 4)
                    let wins = resolved.source == .rule(place: place, number: number)
                    if isVisible {
                        let why = why(
                            rule, wins, isDecided, resolved, for: node, &resolver, &viewer)
                        let value = value(of: rule, node, &resolver, &viewer)
                        try viewer.spend(
                            (why.utf8.count + (value?.json.utf8.count ?? 0)) / 16)
                        candidates.append(
                            Self.candidate(
                                "rule", .string(rule.source),
                                value,
                                hasWon: wins && resolved.value != nil, why,
                                since: wallClock.time(model.since),
                                by: model.author.map { "\($0)" }))
                    }
                    isDecided = isDecided || wins
                }
            }
            place = hierarchy.parent(of: place)
        }
        return candidates
    }

    private func why(
        _ rule: CompiledRule, _ wins: Bool, _ isDecided: Bool, _ resolved: Resolved,
        for node: NodeIndex, _ resolver: inout Resolver, _ viewer: inout Viewer
    ) -> String {
        if wins {
            let known =
                rule.predicate.map { "'\($0)' is the first predicate that holds" }
                ?? "it has no predicate, and no rule before it holds"
            return resolved.value == nil ? known + ", but its own key has no value" : known
        }
        if case .set = resolved.source {
            return "a value that is set goes before rules"
        }
        if isDecided {
            return "a rule before it decides"
        }
        if resolved.source == .cycle, let cycle = resolver.cycles.last {
            return "the rules need one another" + (viewer.seesEverything ? ": \(cycle)" : "")
        }
        if resolved.source == .tooDeep {
            return "the rules need more than \(Resolver.depthMax) keys one behind the other"
        }
        return rule.predicate.map { predicate in
            "'\(predicate)' does not hold: "
                + reading(of: predicate, for: node, &resolver, &viewer)
        } ?? "it gives no value"
    }

    /// Returns the values that a predicate reads: `a is 1, b has no value`.
    private func reading(
        of predicate: Predicate, for node: NodeIndex, _ resolver: inout Resolver,
        _ viewer: inout Viewer
    ) -> String {
        predicate.names.map { name in
            let key = environment.number(of: name)
            let resolved =
                key.map { resolver.resolve($0, for: node, in: hierarchy, peers) } ?? .nothing
            guard isVisible(resolved, for: node, &resolver, &viewer) else {
                return "\(name) is hidden"
            }
            return resolved.value.map { "\(name) is \($0.json.shortened)" }
                ?? "\(name) has no value"
        }.joined(separator: ", ")
    }

    /// `nil` for a hidden value, too.
    private func value(
        of rule: CompiledRule, _ node: NodeIndex, _ resolver: inout Resolver,
        _ viewer: inout Viewer
    ) -> KeyValue? {
        switch rule.value {
        case .constant(let value): return value
        case .key(let key):
            let resolved = resolver.resolve(key, for: node, in: hierarchy, peers)
            return isVisible(resolved, for: node, &resolver, &viewer) ? resolved.value : nil
        }
    }

    private static func candidate(
        _ kind: String, _ from: JSONValue, _ value: KeyValue?, hasWon: Bool, _ why: String,
        since: Timestamp? = nil, by: String? = nil, source: JSONValue? = nil,
        staleSince: JSONValue? = nil
    ) -> JSONValue {
        .members([
            "kind": .string(kind), "from": from, "value": value?.document,
            "won": .bool(hasWon), "why": .string(why), "since": since.map { .text($0) },
            "by": by.map { .string($0) }, "source": source, "staleSince": staleSince,
        ])
    }
}
