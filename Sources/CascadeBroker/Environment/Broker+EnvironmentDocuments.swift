// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What is asked about environment, preferences and rules. Looking changes nothing for anybody.
///
/// A value is shown where the viewer may inspect both the reader and the place that the value comes
/// from.
extension Broker {
    /// The place whose values are asked for.
    mutating func reader(at path: NodePath) throws(WireError) -> UInt32 {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        bindKept(to: [node])
        return node
    }

    mutating func valueDocument(
        _ key: EventName, _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        try viewer.spend(4)
        let number = environment.keys.existingNumber(of: key)
        if hierarchy.find(path) == nil, let number,
            let kept = environment.kept[path]?.values[number]
        {
            return .document("env", Self.entry(key, kept.value, from: viewer.place(path)))
        }
        let node = try reader(at: path)
        var resolver = Resolver(environment, resolverFacts)
        let resolved = number.map { resolver.resolve($0, for: node) }
        try viewer.spend(resolver.steps)
        guard let resolved, let value = resolved.value else {
            let known = BuiltInKey(key).flatMap { resolverFacts.value(of: $0, for: node) }
            if let known {
                return .document("env", Self.entry(key, known, from: "the bus"))
            }
            throw WireError(.noSuchKey, "'\(key)' has no value at '\(path)'")
        }
        guard isVisible(resolved, for: node, &resolver, &viewer) else {
            throw WireError(
                .denied, "the value of '\(key)' at '\(path)' comes from a place that is hidden")
        }
        return .document("env", Self.entry(key, value, from: from(resolved, &viewer)))
    }

    /// The keys that may have a value for a reader.
    func readableKeys(at path: NodePath) throws(WireError) -> [EventName] {
        if hierarchy.find(path) == nil, let kept = environment.kept[path]?.values {
            return kept.keys.sorted(by: environment.keys).map { environment.keys[$0] }
        }
        guard hierarchy.find(path) != nil else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        return environment.knownKeys.sorted(by: environment.keys).map { environment.keys[$0] }
    }

    /// What one key is for the reader at a path; `nil` if it has no value, or a hidden one.
    func value(
        of key: EventName, at path: NodePath, _ resolver: inout Resolver,
        for viewer: inout Viewer
    ) -> JSONValue? {
        guard let number = environment.keys.existingNumber(of: key) else {
            return nil
        }
        guard let node = hierarchy.find(path) else {
            let kept = environment.kept[path]?.values[number]
            return kept.map {
                .members(Self.entry(key, $0.value, from: viewer.place(path)))
            }
        }
        let resolved = resolver.resolve(number, for: node)
        guard let value = resolved.value,
            isVisible(resolved, for: node, &resolver, &viewer)
        else {
            return nil
        }
        return .members(Self.entry(key, value, from: from(resolved, &viewer)))
    }

    /// What a key is at one place of the tree; `nil` if it has no value there, or a hidden one.
    func treeValue(
        of key: EventName, at place: UInt32, _ resolver: inout Resolver,
        for viewer: inout Viewer
    ) -> JSONValue? {
        guard let number = environment.keys.existingNumber(of: key),
            let path = viewer.place(hierarchy.path(of: place))
        else {
            return nil
        }
        let resolved = resolver.resolve(number, for: place)
        guard let value = resolved.value,
            isVisible(resolved, for: place, &resolver, &viewer)
        else {
            return nil
        }
        return .members([
            "path": path, "value": value.document, "from": from(resolved, &viewer),
        ])
    }

    func preferencesDocument(
        _ path: NodePath, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        var members: [JSONValue.Member] = []
        for key in preferences.offeredKeys.sorted(by: environment.keys) {
            let value = try preferences.value(of: key, at: node, in: hierarchy, for: &viewer)
            if let value {
                members.append(
                    JSONValue.Member(key: environment.keys[key].description, value: value))
            }
        }
        return .document(
            "preferences", ["path": viewer.place(path), "preferences": .object(members)])
    }

    // MARK: - Where values come from

    /// Whether the viewer may see what a key is for a reader: the value, and with a rule that gives
    /// the value of another key, that one's too.
    func isVisible(
        _ resolved: Resolved, for node: UInt32, _ resolver: inout Resolver,
        _ viewer: inout Viewer
    ) -> Bool {
        guard !viewer.seesEverything else {
            return true
        }
        var resolved = resolved
        for _ in 0...Resolver.depthMax {
            switch resolved.source {
            case .set(let place): return viewer.sees(hierarchy.path(of: place))
            case .rule(let place, let number):
                guard viewer.sees(hierarchy.path(of: place)),
                    let rules = resolver.table.models[place]?.rules, number < rules.count
                else {
                    return false
                }
                guard case .key(let key) = rules[number].value else {
                    return true
                }
                resolved = resolver.resolve(key, for: node)
            case .builtIn, .nothing, .cycle, .tooDeep: return true
            }
        }
        return false
    }

    private static func entry(
        _ key: EventName, _ value: KeyValue?, from: JSONValue?
    ) -> KeyValuePairs<String, JSONValue?> {
        ["key": .text(key), "value": value?.document, "from": from]
    }

    /// Where a value comes from, as people look for it.
    private func from(_ resolved: Resolved, _ viewer: inout Viewer) -> JSONValue? {
        switch resolved.source {
        case .set(let place): viewer.place(hierarchy.path(of: place))
        case .rule(let place, let number):
            viewer.sees(hierarchy.path(of: place))
                ? .string(environment.models[place]?.rules[number].source ?? "") : nil
        case .builtIn: "the bus"
        case .nothing, .cycle, .tooDeep: .null
        }
    }
}

extension KeyValue {
    /// The value as it stands in a document.
    var document: JSONValue {
        (try? JSONValue(parsing: json)) ?? .null
    }
}

extension Sequence<UInt32> {
    /// Keys in the order of their names.
    func sorted(by keys: KeyTable) -> [UInt32] {
        sorted { keys[$0].description < keys[$1].description }
    }
}
