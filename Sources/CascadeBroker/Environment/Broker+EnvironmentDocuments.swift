// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is asked about environment, preferences and rules. Looking changes nothing for anybody.
extension Broker {
    /// Answers a query about the environment, the preferences or the rules.
    mutating func environmentDocument(
        _ subject: Query.Subject
    ) throws(WireError) -> JSONValue {
        switch subject {
        case .environment(let path, let key?): return try valueDocument(key, path)
        case .environment(let path, nil): return try valuesDocument(path)
        case .explanation(let key, let path): return try explanationDocument(key, path)
        case .environmentTree(let key, let path): return try treeDocument(key, path)
        case .preferences(let path): return try preferencesDocument(path)
        case .rules: return rulesDocument
        case .rulesDifference(let file, let text):
            return try rulesDifferenceDocument(RuleModelFile(file: file, text: text))
        default:
            throw WireError(.unknownQuery, "that is no query about the environment")
        }
    }

    /// The place whose values are asked for.
    mutating func reader(at path: NodePath) throws(WireError) -> UInt32 {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        bindKept(to: [node])
        return node
    }

    private mutating func valueDocument(
        _ key: EventName, _ path: NodePath
    ) throws(WireError) -> JSONValue {
        let number = environment.keys.existingNumber(of: key)
        if hierarchy.find(path) == nil, let number,
            let kept = environment.kept[path]?.values[number]
        {
            return .document("env", Self.entry(key, kept.value, from: .text(path)))
        }
        let node = try reader(at: path)
        var resolver = Resolver(environment, resolverFacts)
        let resolved = number.map { resolver.resolve($0, for: node) }
        guard let resolved, let value = resolved.value else {
            let known = BuiltInKey(key).flatMap { resolverFacts.value(of: $0, for: node) }
            if let known {
                return .document("env", Self.entry(key, known, from: "the bus"))
            }
            throw WireError(.noSuchKey, "'\(key)' has no value at '\(path)'")
        }
        return .document("env", Self.entry(key, value, from: from(resolved)))
    }

    private mutating func valuesDocument(_ path: NodePath) throws(WireError) -> JSONValue {
        if hierarchy.find(path) == nil, let kept = environment.kept[path]?.values {
            let values = kept.keys.sorted(by: environment.keys).map { key in
                let value = kept[key]?.value
                return JSONValue.members(
                    Self.entry(environment.keys[key], value, from: .text(path)))
            }
            return .document("env", ["values": .array(values)])
        }
        let node = try reader(at: path)
        var resolver = Resolver(environment, resolverFacts)
        let values = environment.knownKeys.sorted(by: environment.keys).compactMap { key in
            let resolved = resolver.resolve(key, for: node)
            return resolved.value.map { value in
                JSONValue.members(
                    Self.entry(environment.keys[key], value, from: from(resolved)))
            }
        }
        return .document("env", ["values": .array(values)])
    }

    private mutating func treeDocument(
        _ key: EventName, _ path: NodePath
    ) throws(WireError) -> JSONValue {
        let node = try reader(at: path)
        let places = hierarchy.subtree(of: node, depth: .max)
        bindKept(to: places)
        let number = environment.keys.existingNumber(of: key)
        var resolver = Resolver(environment, resolverFacts)
        let values = places.compactMap { place -> JSONValue? in
            guard let resolved = number.map({ resolver.resolve($0, for: place) }),
                let value = resolved.value
            else {
                return nil
            }
            return .members([
                "path": .text(hierarchy.path(of: place)), "value": value.document,
                "from": from(resolved),
            ])
        }
        return .document("envTree", ["key": .text(key), "values": .array(values)])
    }

    private func preferencesDocument(_ path: NodePath) throws(WireError) -> JSONValue {
        guard let node = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        let members = preferences.offeredKeys.sorted(by: environment.keys).compactMap { key in
            preferences.reduceAll(key, in: hierarchy)[node].map { value in
                JSONValue.Member(key: environment.keys[key].description, value: value)
            }
        }
        return .document("preferences", ["path": .text(path), "preferences": .object(members)])
    }

    private static func entry(
        _ key: EventName, _ value: KeyValue?, from: JSONValue
    ) -> KeyValuePairs<String, JSONValue?> {
        ["key": .text(key), "value": value?.document, "from": from]
    }

    /// Where a value comes from, as people look for it.
    func from(_ resolved: Resolved) -> JSONValue {
        switch resolved.source {
        case .set(let place): .text(hierarchy.path(of: place))
        case .rule(let place, let number):
            .string(environment.models[place]?.rules[number].source ?? "")
        case .builtIn: "the bus"
        case .nothing, .cycle, .tooDeep: .null
        }
    }
}

extension KeyValue {
    /// The value as it stands in a document.
    var document: JSONValue {
        (try? JSONParser.parse(json)) ?? .null
    }
}

extension Sequence<UInt32> {
    /// Keys in the order of their names.
    func sorted(by keys: KeyTable) -> [UInt32] {
        sorted { keys[$0].description < keys[$1].description }
    }
}
