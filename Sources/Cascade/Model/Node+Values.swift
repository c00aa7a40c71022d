// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Values that a node sets for its subtree, and reactions to changes of the values that it reads.
///
///     Node("shop") {
///         Printer()
///     }
///     .environment(\.paperSize, .a3)
///     .onChange(of: \.isOpen) { old, new in … }
extension NodeConvertible {
    // MARK: - Setting

    /// Sets a value for the nodes below, and for the node itself if the scope includes it.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value.
    ///   - value: The value.
    ///   - scope: The nodes that read the value.
    ///   - isSticky: Whether the value stays when the node leaves the tree.
    public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value,
        scope: EnvironmentScope = .subtree, isSticky: Bool = false
    ) -> Node {
        with {
            $0.values.set(
                EnvironmentValues.assigned { $0[keyPath: keyPath] = value }, scope,
                isSticky: isSticky)
        }
    }

    /// Sets a value that nodes below may change with ``WriteValue``.
    ///
    ///     .environment(\.copies, 1, onWrite: { new in
    ///         guard new <= 100 else { throw TooMany() }
    ///         return new
    ///     })
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value.
    ///   - value: The initial value.
    ///   - scope: The nodes that read the value.
    ///   - isSticky: Whether the value stays when the node leaves the tree.
    ///   - accept: Returns the value to set, which may differ from the requested one, or throws an
    ///     error for the writer.
    public func environment<Value: Codable & Sendable>(
        _ keyPath: any WritableKeyPath<EnvironmentValues, Value> & Sendable, _ value: Value,
        scope: EnvironmentScope = .subtree, isSticky: Bool = false,
        onWrite accept: @escaping @Sendable (Value) async throws -> Value
    ) -> Node {
        let name = WriteRequest.name(for: EnvironmentValues.key(of: keyPath))
        return environment(keyPath, value, scope: scope, isSticky: isSticky)
            .adding(.respond, name, nil) { visit in
                let wanted = try PayloadCodec.decode(
                    Value.self, as: "value of '\(name)'", from: visit.payload,
                    contentType: visit.contentType)
                let accepted = try await accept(wanted)
                try await EnvironmentValues.current.setEnvironment(
                    keyPath, accepted, scope: scope, isSticky: isSticky)
                let reply = try PayloadCodec.encode(accepted, as: "value of '\(name)'")
                return .answered(Reply(payload: reply))
            }
    }

    /// Adds rules that derive values for the nodes below where none is set, see ``Rules``.
    public func rules(@RuleBuilder _ rules: () -> Rules) -> Node {
        self.rules(rules())
    }

    /// Adds rules that derive values for the nodes below where none is set.
    public func rules(_ rules: Rules) -> Node {
        with { $0.values.add(rules) }
    }

    // MARK: - Watching

    /// Watches values, which are available before the node's first event. The ``Environment``
    /// properties of a ``NodeConvertible`` are watched without this modifier.
    public func watch<each Value>(
        _ keyPaths: repeat KeyPath<EnvironmentValues, each Value>
    ) -> Node {
        with { node in
            for keyPath in repeat each keyPaths {
                node.values.watch(EnvironmentValues.keys(of: keyPath))
            }
        }
    }

    /// Runs `perform` with the old and the new value after each change of a value that the node
    /// reads, one change at a time. If `perform` throws, the worker ends with that error.
    ///
    /// After a restart of the daemon, a value of another worker's node is absent until that worker has
    /// reconnected: `perform` may run twice, with the default as new value and then as old value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value.
    ///   - initial: Whether to run `perform` once at the start, with the current value as old and
    ///     new.
    ///   - perform: The closure to run.
    public func onChange<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<EnvironmentValues, Value> & Sendable, initial: Bool = false,
        _ perform: @escaping @Sendable (Value, Value) async throws -> Void
    ) -> Node {
        watch(keyPath).task {
            let changes = EnvironmentValues.current.changes(of: keyPath)
            if initial {
                let value = EnvironmentValues.current[keyPath: keyPath]
                try await perform(value, value)
            }
            for await (old, new) in changes {
                try await perform(old, new)
            }
        }
    }

    /// Runs `perform` after each change of a value that the node reads.
    public func onChange<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<EnvironmentValues, Value> & Sendable, initial: Bool = false,
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        onChange(of: keyPath, initial: initial) { _, _ in try await perform() }
    }

    /// Watches keys at the node and at the nodes inside it, except those of a ``NodeConvertible``,
    /// which has its own properties.
    func watching(_ keys: [ErasedKey]) -> Node {
        with { node in
            node.values.watch(keys)
            node.children = node.children.map { $0.isConverted ? $0 : $0.watching(keys) }
        }
    }
}

// MARK: - Preferences

/// Preferences that a node offers, and reactions to preferences of its subtree.
extension NodeConvertible {
    /// Offers a value to the nodes above. It masks the offers of the nodes below: this node and the
    /// nodes above read this value alone, as with an explicit preference in SwiftUI.
    public func preference<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) -> Node {
        with { $0.values.offer(key, value) }
    }

    /// Watches a preference of the subtree, whose value is available before the node's first event.
    /// An offer of the node itself masks those of the nodes below.
    public func watch<K: PreferenceKey>(preference key: K.Type) -> Node {
        with { $0.values.watch([ErasedKey(key)]) }
    }

    /// Runs `perform` with the preferences of the nodes below, reduced to one value: once at the
    /// start unless that is the default, and after each change. An offer masks those of the nodes
    /// below it, also an offer of this node itself. If `perform` throws, the worker ends with that
    /// error.
    public func onPreferenceChange<K: PreferenceKey>(
        _ key: K.Type, _ perform: @escaping @Sendable (K.Value) async throws -> Void
    ) -> Node {
        watch(preference: key).task {
            guard let environment = EnvironmentValues.current.runningNode?.environment else {
                return
            }
            let changes = environment.changes()
            var last = environment.snapshot.value(of: key) ?? K.defaultValue
            if last != K.defaultValue {
                try await perform(last)
            }
            for await change in changes {
                let value = change.new.value(of: key) ?? K.defaultValue
                if value != last {
                    last = value
                    try await perform(value)
                }
            }
        }
    }
}

// MARK: - Declared values

/// The environment and preferences that a node declares, in the order of its modifiers.
struct DeclaredValues: Sendable {
    private struct Setting {
        let value: AssignedValue
        let scope: EnvironmentScope
        let isSticky: Bool
    }

    private var settings: [Setting] = []
    private var offers: [(name: String, make: @Sendable () throws -> PreferenceOffer)] = []
    private(set) var watchedKeys: [ErasedKey] = []
    private var rules: [String] = []

    /// Sets values. A later value for the same key replaces an earlier one.
    mutating func set(_ values: [AssignedValue], _ scope: EnvironmentScope, isSticky: Bool) {
        for value in values {
            settings.removeAll { $0.value.key.name == value.key.name }
            settings.append(Setting(value: value, scope: scope, isSticky: isSticky))
        }
    }

    mutating func offer<K: PreferenceKey>(_ key: K.Type, _ value: K.Value) {
        let name = K.name
        offers.removeAll { $0.name == name }
        offers.append((name, { try K.offer(value) }))
    }

    mutating func watch(_ keys: [ErasedKey]) {
        for key in keys where !watchedKeys.contains(where: { $0.id == key.id }) {
            watchedKeys.append(key)
        }
    }

    mutating func add(_ rules: Rules) {
        self.rules += rules.lines
    }

    /// Returns the declaration in the form of the protocol. Throws ``CascadeError`` or `NameError`.
    func assignments() throws -> Assignments {
        Assignments(
            settings: try settings.map { try $0.value.setting($0.scope, isSticky: $0.isSticky) },
            watchedKeys: try names(arePreferences: false),
            offers: try offers.map { try $0.make() },
            watchedPreferences: try names(arePreferences: true), rules: rules)
    }

    private func names(arePreferences: Bool) throws -> [EventName] {
        var names: [EventName] = []
        for key in watchedKeys where key.isPreference == arePreferences {
            let name = try key.eventName
            if !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }
}
