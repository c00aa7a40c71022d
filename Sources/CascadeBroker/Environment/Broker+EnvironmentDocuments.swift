// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Answers to queries about environment, preferences and rules. They change nothing.
///
/// A value is shown where the viewer may inspect both the reader and the place that the value comes
/// from.
extension Broker {
    /// Returns the place whose values are requested.
    mutating func reader(at path: NodePath) throws(WireError) -> NodeIndex {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        environment.bindKept(to: [node], in: hierarchy)
        return node
    }

    mutating func valueDocument(
        _ key: EventName, _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        try viewer.spend(4)
        let number = environment.number(of: key)
        if hierarchy.find(path) == nil, let number,
            let kept = environment.kept(number, for: path)
        {
            return .document("env", entry(key, kept.value, .set, from: viewer.place(path)))
        }
        let node = try reader(at: path)
        var resolver = environment.resolver(resolverContext)
        let resolved = number.map { resolver.resolve($0, for: node, in: hierarchy, peers) }
        try viewer.spend(resolver.steps)
        guard let resolved, let value = resolved.value else {
            let known = BuiltInKey(key).flatMap {
                resolverContext.value(of: $0, for: node, in: hierarchy, peers)
            }
            if let known {
                return .document("env", entry(key, known, .builtIn, from: "the bus"))
            }
            throw WireError(.noSuchKey, "'\(key)' has no value at '\(path)'")
        }
        guard viewer.readsValues || isVisible(resolved, for: node, &resolver, &viewer) else {
            throw WireError(
                .denied, "the value of '\(key)' at '\(path)' comes from a place that is hidden")
        }
        return .document(
            "env",
            entry(
                key, value, resolved.kind, from: from(resolved, &viewer),
                setAtRoot(number, resolved, for: node)))
    }

    /// The keys that may have a value for a reader.
    func readableKeys(at path: NodePath) throws(WireError) -> [EventName] {
        if hierarchy.find(path) == nil, let kept = environment.keptKeys(for: path) {
            return kept
        }
        guard hierarchy.find(path) != nil else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        return environment.knownKeys
    }

    /// Returns the value of one key for the reader at a path; `nil` if it has none or the viewer
    /// may not see it.
    func value(
        of key: EventName, at path: NodePath, _ resolver: inout Resolver,
        for viewer: inout Viewer
    ) -> JSONValue? {
        guard let number = environment.number(of: key) else {
            return nil
        }
        guard let node = hierarchy.find(path) else {
            return environment.kept(number, for: path).map {
                .members(entry(key, $0.value, .set, from: viewer.place(path)))
            }
        }
        let resolved = resolver.resolve(number, for: node, in: hierarchy, peers)
        guard let value = resolved.value,
            viewer.readsValues || isVisible(resolved, for: node, &resolver, &viewer)
        else {
            return nil
        }
        return .members(
            entry(
                key, value, resolved.kind, from: from(resolved, &viewer),
                setAtRoot(number, resolved, for: node)))
    }

    /// Returns the value of a key at one place of the tree; `nil` if it has none there or the
    /// viewer may not see it.
    func treeValue(
        of key: EventName, at place: NodeIndex, _ resolver: inout Resolver,
        for viewer: inout Viewer
    ) -> JSONValue? {
        // The path is put together from its components.
        viewer.count(1 + Int(hierarchy[place].links.depth) / 8)
        guard let number = environment.number(of: key),
            let path = viewer.place(hierarchy.path(of: place))
        else {
            return nil
        }
        let resolved = resolver.resolve(number, for: place, in: hierarchy, peers)
        guard let value = resolved.value,
            isVisible(resolved, for: place, &resolver, &viewer)
        else {
            return nil
        }
        let origin = setAtRoot(number, resolved, for: place)
        return .members([
            "path": path, "value": value.document, "from": from(resolved, &viewer),
            "kind": .string(resolved.kind.rawValue), "source": source(of: origin),
            "staleSince": staleSince(of: origin),
        ])
    }

    func preferencesDocument(
        _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        let members = try environment.preferences(at: node, in: hierarchy, for: &viewer)
        return .document(
            "preferences",
            [
                "path": viewer.place(path),
                "preferences": .object(
                    members.map { JSONValue.Member(key: $0.key, value: $0.value) }),
                "reducers": .object(
                    members.map { JSONValue.Member(key: $0.key, value: .string($0.reducer.name)) }),
            ])
    }

    // MARK: - Where values come from

    /// Whether the viewer may see a reader's value of a key, and, where a rule yields the value of
    /// another key, that key's value too.
    func isVisible(
        _ resolved: Resolved, for node: NodeIndex, _ resolver: inout Resolver,
        _ viewer: inout Viewer
    ) -> Bool {
        guard !viewer.seesEverything else {
            return true
        }
        var resolved = resolved
        for _ in 0...Resolver.depthMax {
            viewer.count(1 + Int(hierarchy[node].links.depth) / 8)
            switch resolved.source {
            case .set(let place): return viewer.sees(hierarchy.path(of: place))
            case .fallback: return viewer.sees(.root)
            case .rule(let place, let number):
                guard viewer.sees(hierarchy.path(of: place)),
                    let rules = resolver.table.models[place]?.rules, number < rules.count
                else {
                    return false
                }
                guard case .key(let key) = rules[number].value else {
                    return true
                }
                resolved = resolver.resolve(key, for: node, in: hierarchy, peers)
            case .builtIn, .nothing, .cycle, .tooDeep: return true
            }
        }
        return false
    }

    private func entry(
        _ key: EventName, _ value: KeyValue?, _ kind: ValueKind, from: JSONValue?,
        _ origin: SetValue? = nil
    ) -> KeyValuePairs<String, JSONValue?> {
        [
            "key": .text(key), "value": value?.document, "from": from,
            "kind": .string(kind.rawValue), "source": source(of: origin),
            "staleSince": staleSince(of: origin),
        ]
    }

    /// The value at the root that a reader reads, which may be one of another bus.
    private func setAtRoot(
        _ key: KeyIndex?, _ resolved: Resolved, for node: NodeIndex
    ) -> SetValue? {
        guard let key, let current = environment.current(key, at: Hierarchy.root) else {
            return nil
        }
        switch resolved.source {
        case .fallback: return current.fallback
        case .set(Hierarchy.root):
            return node == Hierarchy.root ? current.forItself : current.forSubtree
        case .set, .rule, .builtIn, .nothing, .cycle, .tooDeep: return nil
        }
    }

    /// Where a value of another bus comes from.
    func source(of set: SetValue?) -> JSONValue? {
        set?.source.map { .string($0.text) }
    }

    /// Since when the bus above may have another value: since the node at the root has reported it, or since
    /// the root has no holder.
    func staleSince(of set: SetValue?) -> JSONValue? {
        guard let set else {
            return nil
        }
        var since = set.staleSince
        if set.setter == .stickyNode, hierarchy[Hierarchy.root].holder == nil {
            let vacated = hierarchy[Hierarchy.root].since
            since = since.map { min($0, vacated) } ?? vacated
        }
        return since.map { .text(wallClock.time($0)) }
    }

    /// Returns the provenance of a value for display.
    private func from(_ resolved: Resolved, _ viewer: inout Viewer) -> JSONValue? {
        switch resolved.source {
        case .set(let place): viewer.place(hierarchy.path(of: place))
        case .rule(let place, let number):
            viewer.sees(hierarchy.path(of: place))
                ? .string(environment.model(at: place)?.rules[number].source ?? "") : nil
        case .fallback: viewer.place(.root)
        case .builtIn: "the bus"
        case .nothing, .cycle, .tooDeep: .null
        }
    }
}

/// How a value has come about, as documents name it.
enum ValueKind: String {
    case set, rule, fallback, builtIn
}

extension Resolved {
    fileprivate var kind: ValueKind {
        switch source {
        case .set: .set
        case .rule: .rule
        case .fallback: .fallback
        case .builtIn, .nothing, .cycle, .tooDeep: .builtIn
        }
    }
}

extension KeyValue {
    /// The value as it stands in a document.
    var document: JSONValue {
        (try? JSONValue(parsing: json)) ?? .null
    }
}
