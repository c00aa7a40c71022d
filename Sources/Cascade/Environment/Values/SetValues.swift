// SPDX-License-Identifier: Apache-2.0

/// Sets values of the environment for the node's subtree while the node is in the tree; called like
/// a function.
///
///     @Environment(\.setEnvironment) var setEnvironment
///     …
///     try await setEnvironment(\.paperSize, .a3)
///     try await setEnvironment {
///         $0.paperSize = .a4
///         $0.allowsColour = true
///     }
///
/// Messages that the node raises after the call reach other nodes after the change. A call returns
/// when the bus has accepted the values. It throws ``CascadeError`` if the bus refuses them; then
/// none is set.
public struct SetValues: Sendable {
    let surroundings: NodeSurroundings?

    /// Sets one value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value.
    ///   - value: The new value.
    ///   - scope: The nodes that read the value.
    ///   - isSticky: Whether the value stays when the node leaves the tree.
    public func callAsFunction<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value,
        scope: EnvironmentScope = .subtree, isSticky: Bool = false
    ) async throws {
        let assigned = EnvironmentValues.assigned { $0[keyPath: keyPath] = value }
        try await set(assigned, scope, isSticky)
    }

    /// Sets several values in one transaction: a node reads either all of them or none.
    ///
    /// - Parameters:
    ///   - scope: The nodes that read the values.
    ///   - isSticky: Whether the values stay when the node leaves the tree.
    ///   - assign: Assigns the new values. It reads the values of the running node.
    public func callAsFunction(
        scope: EnvironmentScope = .subtree, isSticky: Bool = false,
        _ assign: (inout EnvironmentValues) throws -> Void
    ) async throws {
        try await set(EnvironmentValues.assigned(assign), scope, isSticky)
    }

    /// Removes a value that the node has set.
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
    /// Throws ``CascadeError`` outside the code of a node.
    static func running(_ surroundings: NodeSurroundings?) throws -> NodeSurroundings {
        guard let surroundings else {
            throw CascadeError(
                .notRunning, "the environment was changed outside the code of a node")
        }
        return surroundings
    }

    func set(_ assignments: Assignments) async throws {
        try await runtime.link.set(assignments, at: place.path)
    }
}
