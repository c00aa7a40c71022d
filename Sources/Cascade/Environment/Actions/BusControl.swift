// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession

/// Administration of the bus from code: the changes and documents of `cascadectl`.
///
/// Each method throws ``CascadeError`` if the bus refuses the command.
public struct BusControl: Sendable {
    private let raiser: Raiser

    package init(link: Link?) {
        raiser = Raiser(link: link, origin: .outsider(.root))
    }

    // MARK: - Changing

    /// Moves a node and its subtree to another parent. The last component of its path stays.
    public func move(_ path: NodePath, under parent: NodePath) async throws {
        try await change(.move(path: path, under: parent))
    }

    /// Takes a node out of the tree once it has finished the work that it has accepted.
    public func drain(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.drain(path: path, withSubtree: withSubtree))
    }

    /// Takes a node out of the tree at once.
    public func detach(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.detach(path: path, withSubtree: withSubtree))
    }

    /// Makes a node active: it counts as a subscriber, the most recent one.
    public func activate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: true)
    }

    /// Makes a node and its subtree inactive: they no longer count as subscribers.
    public func deactivate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: false)
    }

    /// Removes all undelivered messages.
    public func clearUndelivered() async throws {
        try await change(.clearUndelivered)
    }

    private func change(_ change: Administer.Change) async throws {
        _ = try await send { Administer(request: $0, change) }
    }

    func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Link.Answer {
        try await raiser.running().send(make)
    }

    // MARK: - Looking

    // The documents are those that cascadectl prints with --json.

    /// Returns the findings about the declarations in the tree, as a JSON document.
    public func check() async throws -> String {
        try await document(.check)
    }

    /// Returns the visits of an event, as a JSON document.
    public func trace(_ id: EventID) async throws -> String {
        try await document(.trace(id))
    }

    /// Returns the undelivered and the held messages, as a JSON document. The list of undelivered
    /// messages is what other brokers call a dead-letter queue.
    public func undelivered() async throws -> String {
        try await document(.undelivered)
    }

    /// Returns the route of a value raised by a child of `path`: the responders in the order in
    /// which they would be asked, as a JSON document. Sends nothing to any node.
    public func route(
        _ lane: Lane = .event, of value: some NamedValue, from path: NodePath
    )
        async throws -> String
    {
        let route = RouteQuery(
            lane, try EventName(naming: type(of: value)), from: path,
            payload: String(decoding: try PayloadCodec.encode(value), as: UTF8.self))
        return try await document(.route(route))
    }

    func document(_ subject: Query.Subject) async throws -> String {
        try await DocumentAnswer(parsing: raiser.running().query(subject)).document
    }
}

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
