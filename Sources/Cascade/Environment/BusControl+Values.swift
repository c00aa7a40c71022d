// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The environment and the preferences of any node, seen and set from outside.
extension BusControl {
    // MARK: - Setting

    /// Sets a value at a path, for the node there and those below it; the bus keeps it until it is
    /// unset.
    public func set<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, at path: NodePath
    ) async throws {
        try await set(at: path) { $0[keyPath: keyPath] = value }
    }

    /// Sets several values at a path in one step.
    public func set(
        at path: NodePath, _ assign: (inout EnvironmentValues) throws -> Void
    ) async throws {
        let settings = try EnvironmentValues.assigned(assign).map {
            try $0.setting(.itself, isSticky: false)
        }
        try await set(settings, at: path)
    }

    /// Takes back what was set at a path from outside.
    public func unset(
        _ keyPath: KeyPath<EnvironmentValues, some Any>, at path: NodePath
    ) async throws {
        let settings = try EnvironmentValues.keys(of: keyPath).map {
            EnvironmentSetting(try $0.eventName, nil)
        }
        try await set(settings, at: path)
    }

    private func set(_ settings: [EnvironmentSetting], at path: NodePath) async throws {
        _ = try await send { request in
            SetEnvironment(request: request, path: path, Assignments(settings: settings))
        }
    }

    // MARK: - Looking

    /// What a node reads under a key; `nil` where nobody has set a value and no rule gives one:
    /// then code reads the key's default.
    public func value<Value: Decodable & Sendable>(
        of keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Value? {
        let key = EnvironmentValues.key(of: keyPath)
        let explanation = try await Explanation<Value>(
            document(.explanation(key: key.eventName, path: path)), of: key)
        return explanation.value
    }

    /// Why a key has the value that it has for a node.
    public func explain<Value: Decodable & Sendable>(
        _ keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Explanation<Value> {
        let key = EnvironmentValues.key(of: keyPath)
        return try await Explanation(
            document(.explanation(key: key.eventName, path: path)), of: key)
    }

    /// What the nodes at and below a path offer under a key, reduced to one value; the key's
    /// default where none does.
    public func preference<K: PreferenceKey>(
        _ key: K.Type, at path: NodePath
    ) async throws -> K.Value {
        let answer = try await JSONValue(document: document(.preferences(path: path)))
        guard let value = answer["preferences"]?[K.name] else {
            return K.defaultValue
        }
        return try PayloadCodec.decode(
            K.Value.self, as: "value of '\(K.name)'", from: value.text.utf8, contentType: nil)
    }

    /// Every key that has a value for a node, as a JSON document.
    public func environment(at path: NodePath) async throws -> String {
        try await document(.environment(path: path, key: nil))
    }

    /// The rules that stand, as a JSON document.
    public func rules() async throws -> String {
        try await document(.rules)
    }
}
