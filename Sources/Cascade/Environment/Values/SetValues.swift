// SPDX-License-Identifier: Apache-2.0

/// Sets values of the environment for the node's subtree, while the node stands in the tree; called
/// like a function.
///
///     @Environment(\.setEnvironment) var setEnvironment
///     …
///     try await setEnvironment(\.paperSize, .a3)
///     try await setEnvironment {
///         $0.paperSize = .a4
///         $0.allowsColour = true
///     }
///
/// Whatever the node raises afterwards reaches nobody before the change does. A call returns when
/// the bus has the values, and throws ``CascadeError`` if it refuses them; then none is set.
public struct SetValues: Sendable {
    let surroundings: NodeSurroundings?

    /// Sets one value.
    ///
    /// - Parameters:
    ///   - keyPath: which value.
    ///   - value: what it is to be.
    ///   - scope: who reads it.
    ///   - isSticky: whether it stays when the node goes.
    public func callAsFunction<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value,
        scope: EnvironmentScope = .subtree, isSticky: Bool = false
    ) async throws {
        let assigned = EnvironmentValues.assigned { $0[keyPath: keyPath] = value }
        try await set(assigned, scope, isSticky)
    }

    /// Sets several values in one step: nobody sees some of them without the others.
    ///
    /// - Parameters:
    ///   - scope: who reads them.
    ///   - isSticky: whether they stay when the node goes.
    ///   - assign: assigns to what is to change, and may read what holds for the node.
    public func callAsFunction(
        scope: EnvironmentScope = .subtree, isSticky: Bool = false,
        _ assign: (inout EnvironmentValues) throws -> Void
    ) async throws {
        try await set(EnvironmentValues.assigned(assign), scope, isSticky)
    }

    /// Takes back what the node has set.
    public func unset(_ keyPath: KeyPath<EnvironmentValues, some Any>) async throws {
        let settings = try EnvironmentValues.keys(of: keyPath).map {
            EnvironmentSetting(try $0.eventName, nil)
        }
        try await running().set(Assignments(settings: settings))
    }

    private func set(
        _ assigned: [AssignedValue], _ scope: EnvironmentScope, _ isSticky: Bool
    ) async throws {
        let settings = try assigned.map { try $0.setting(scope, isSticky: isSticky) }
        try await running().set(Assignments(settings: settings))
    }

    private func running() throws -> NodeSurroundings {
        try NodeSurroundings.running(surroundings)
    }
}

extension NodeSurroundings {
    /// Throws ``CascadeError`` where no node's code runs.
    static func running(_ surroundings: NodeSurroundings?) throws -> NodeSurroundings {
        guard let surroundings else {
            throw CascadeError(
                .notRunning, "the environment was changed by code that is no node's")
        }
        return surroundings
    }

    func set(_ assignments: Assignments) async throws {
        try await runtime.link.set(assignments, at: place.path)
    }
}
