// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// What a node sets for its subtree, and what it does when what it reads has changed.
///
///     Node("shop") {
///         Printer()
///     }
///     .environment(\.paperSize, .a3)
///     .onChange(of: \.isOpen) { old, new in … }
extension Node {
    // MARK: - Setting

    /// Sets a value for the nodes below, and for the node itself if its scope says so.
    ///
    /// - Parameters:
    ///   - keyPath: which value.
    ///   - value: what it is to be.
    ///   - scope: who reads it.
    ///   - isSticky: whether it stays when the node goes.
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
    ///   - keyPath: which value.
    ///   - value: what it is at first.
    ///   - scope: who reads it.
    ///   - isSticky: whether it stays when the node goes.
    ///   - accept: returns the value to be set, which may be another one; or throws, and whoever
    ///     writes gets the error.
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

    /// Derives values for the nodes below where none is set; see ``Rules``.
    public func rules(@RuleBuilder _ rules: () -> Rules) -> Node {
        self.rules(rules())
    }

    /// Derives values for the nodes below where none is set.
    public func rules(_ rules: Rules) -> Node {
        with { $0.values.add(rules) }
    }

    // MARK: - Watching

    /// Has values ready from before the first event on. The ``Environment`` properties of a
    /// ``NodeConvertible`` need no such words.
    public func watch<each Value>(
        _ keyPaths: repeat KeyPath<EnvironmentValues, each Value>
    ) -> Node {
        with { node in
            for keyPath in repeat each keyPaths {
                node.values.watch(EnvironmentValues.keys(of: keyPath))
            }
        }
    }

    /// Runs `perform` with the value before and the value after whenever what the node reads has
    /// changed, one change after the other. If it throws, the worker ends with that error.
    ///
    /// - Parameters:
    ///   - keyPath: which value.
    ///   - perform: what is run.
    ///   - initial: whether to begin with the value that is there, as old and new.
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

    /// Runs `perform` whenever what the node reads has changed.
    public func onChange<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<EnvironmentValues, Value> & Sendable, initial: Bool = false,
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        onChange(of: keyPath, initial: initial) { _, _ in try await perform() }
    }

    /// The node, and those written inside it, have these keys ready. A node inside that is a type
    /// of its own has properties of its own.
    func watching(_ keys: [ErasedKey]) -> Node {
        with { node in
            node.values.watch(keys)
            node.children = node.children.map { $0.isConverted ? $0 : $0.watching(keys) }
        }
    }
}
