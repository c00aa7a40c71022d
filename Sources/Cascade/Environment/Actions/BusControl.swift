// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession

/// Administration of the bus from code: the changes and the documents of `cascadectl`.
///
/// Outside the code of a node, each method throws ``CascadeError`` with the code
/// ``CascadeError/Code/notRunning``; if the policy denies the action, with the reason
/// ``ErrorCode/denied``.
public struct BusControl: Sendable {
    let raiser: Raiser

    package init(link: Link?) {
        raiser = Raiser(link: link, origin: .outsider(.root))
    }

    // MARK: - Changing

    /// Moves a node and its subtree to another parent. The last component of its path stays.
    ///
    /// Throws ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if one of the nodes does not
    /// exist, ``ErrorCode/pathTaken`` if the new path is held, ``ErrorCode/cycle`` if the new parent is
    /// in the subtree, and ``ErrorCode/rootReserved`` for the root.
    public func move(_ path: NodePath, under parent: NodePath) async throws {
        try await change(.move(path: path, under: parent))
    }

    /// Takes a node out of the tree once it has finished the work that it has accepted, and waits
    /// until it has left. Throws ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is
    /// no such node, and ``ErrorCode/rootReserved`` for the root.
    public func drain(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.drain(path: path, withSubtree: withSubtree))
    }

    /// Takes a node out of the tree at once. Throws ``CascadeError`` with the reason
    /// ``ErrorCode/noSuchNode`` if there is no such node, and ``ErrorCode/rootReserved`` for the root.
    public func detach(_ path: NodePath, withSubtree: Bool = false) async throws {
        try await change(.detach(path: path, withSubtree: withSubtree))
    }

    /// Makes a node active: it counts as a subscriber, the most recent one. Throws ``CascadeError``
    /// with the reason ``ErrorCode/noSuchNode`` if there is no such node, and
    /// ``ErrorCode/rootReserved`` for the root.
    public func activate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: true)
    }

    /// Makes a node and its subtree inactive: they no longer count as subscribers. Throws
    /// ``CascadeError`` with the reason ``ErrorCode/noSuchNode`` if there is no such node, and
    /// ``ErrorCode/rootReserved`` for the root.
    public func deactivate(_ path: NodePath) async throws {
        try await raiser.running().activate(path, isActive: false)
    }

    /// Removes all undelivered messages; held ones stay. Throws ``CascadeError`` if the bus refuses.
    public func clearUndelivered() async throws {
        try await change(.clearUndelivered)
    }

    private func change(_ change: Administer.Change) async throws {
        _ = try await send { Administer(request: $0, change) }
    }

    func send(_ make: @Sendable (UInt64) -> some WireMessage) async throws -> Link.Answer {
        try await raiser.running().send(make)
    }
}

/// The environment and the preferences of any node, seen and set from outside.
extension BusControl {
    // MARK: - Setting

    /// Sets a value at a path, for the node there and the nodes below it. The bus keeps the value
    /// until it is unset. Throws ``CascadeError`` if the value cannot be encoded, or the bus refuses it.
    public func set<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, at path: NodePath
    ) async throws {
        try await set(at: path) { $0[keyPath: keyPath] = value }
    }

    /// Sets several values at a path in one transaction. The bus keeps them until they are unset.
    /// Throws ``CascadeError`` if a value cannot be encoded, or the bus refuses one, and what `assign`
    /// throws; no value is set then.
    public func set(
        at path: NodePath, _ assign: (inout EnvironmentValues) throws -> Void
    ) async throws {
        let settings = try EnvironmentValues.assigned(assign).map {
            try $0.setting(.itself, isSticky: false)
        }
        try await set(settings, at: path)
    }

    /// Removes a value that was set at a path from outside the tree. Throws ``CascadeError`` with the
    /// reason ``ErrorCode/noSuchKey`` if none was set.
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
    /// default: no value is set, and no rule gives one. Throws ``CascadeError`` with the reason
    /// ``ErrorCode/noSuchNode`` if there is no such node, and with the code
    /// ``CascadeError/Code/badPayload`` if the value is of another type.
    ///
    /// - Precondition: The key path reads one key, and the whole of its value.
    public func value<Value: Decodable & Sendable>(
        of keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Value? {
        try await explain(keyPath, at: path).value
    }

    /// Returns every candidate for the value of a key at a node, and why each won or lost. Throws
    /// ``CascadeError`` as ``value(of:at:)`` does.
    ///
    /// - Precondition: The key path reads one key, and the whole of its value.
    public func explain<Value: Decodable & Sendable>(
        _ keyPath: KeyPath<EnvironmentValues, Value>, at path: NodePath
    ) async throws -> Explanation<Value> {
        let key = EnvironmentValues.key(of: keyPath)
        return try Explanation(await explanation(of: key.eventName, at: path), of: key)
    }

    /// Returns the preferences of the nodes at and below a path under a key, reduced to one value.
    /// Without any preference, returns the key's default. Throws ``CascadeError`` with the reason
    /// ``ErrorCode/noSuchNode`` if there is no such node, and with the code
    /// ``CascadeError/Code/badPayload`` if the value is of another type.
    public func preference<K: PreferenceKey>(
        _ key: K.Type, at path: NodePath
    ) async throws -> K.Value {
        guard let value = try await preferences(at: path).preferences[K.name] else {
            return K.defaultValue
        }
        return try PayloadCodec.decode(
            K.Value.self, as: "value of '\(K.name)'", from: value.text.utf8, contentType: nil)
    }
}
