// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Values that a node sets for its subtree, and reactions to changes of the values that it reads.
///
///     Node("shop") {
///         Printer()
///     }
///     .environment(\.paperSize, .a3)
///     .onChange(of: \.isOpen) { old, new in … }
extension Node {
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
