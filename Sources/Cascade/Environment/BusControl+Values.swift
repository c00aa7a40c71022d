// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The environment and the preferences of any node, seen and set from outside.
extension BusControl {
    // MARK: - Setting

    /// Sets a value at a path, for the node there and the nodes below it. The bus keeps the value
    /// until it is unset.
    public func set<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, at path: NodePath
    ) async throws {
        try await set(at: path) { $0[keyPath: keyPath] = value }
    }

    /// Sets several values at a path in one transaction. The bus keeps them until they are unset.
    public func set(
        at path: NodePath, _ assign: (inout EnvironmentValues) throws -> Void
    ) async throws {
        let settings = try EnvironmentValues.assigned(assign).map {
            try $0.setting(.itself, isSticky: false)
        }
        try await set(settings, at: path)
    }

    /// Removes a value that was set at a path from outside the tree.
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

    /// Returns the value that a node reads under a key, or `nil` if the node reads the key's
    /// default: no value is set, and no rule gives one.
    ///
    /// - Precondition: The key path reads one key, and the whole of its value.
    public func value<Value: Decodable & Sendable>(
        of keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Value? {
        let key = EnvironmentValues.key(of: keyPath)
        let explanation = try await Explanation<Value>(
            document(.explanation(key: key.eventName, path: path)), of: key)
        return explanation.value
    }

    /// Returns every candidate for the value of a key at a node, and why each won or lost.
    ///
    /// - Precondition: The key path reads one key, and the whole of its value.
    public func explain<Value: Decodable & Sendable>(
        _ keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Explanation<Value> {
        let key = EnvironmentValues.key(of: keyPath)
        return try await Explanation(
            document(.explanation(key: key.eventName, path: path)), of: key)
    }

    /// Returns the preferences of the nodes at and below a path under a key, reduced to one value.
    /// Without any preference, returns the key's default.
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

    /// Returns every key that has a value for a node, as the JSON document of
    /// `cascadectl env list`.
    public func environment(at path: NodePath) async throws -> String {
        try await document(.environment(path: path, key: nil))
    }

    /// Returns the active rules, as the JSON document of `cascadectl rules list`.
    public func rules() async throws -> String {
        try await document(.rules)
    }
}
