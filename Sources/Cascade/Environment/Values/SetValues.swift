// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

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
    let runningNode: RunningNode?

    /// Sets one value. Throws ``CascadeError`` if the bus refuses the value, or if it cannot be
    /// encoded.
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

    /// Sets several values in one transaction: a node reads either all of them or none. Throws
    /// ``CascadeError`` if the bus refuses a value, or if one cannot be encoded; and the error of
    /// `assign`.
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

    /// Removes a value that the node has set, if it has set one. Throws ``CascadeError`` if the
    /// worker has ended.
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

    private func running() throws -> RunningNode {
        try RunningNode.running(runningNode)
    }
}

extension RunningNode {
    /// Throws ``CascadeError`` outside the code of a node.
    static func running(_ runningNode: RunningNode?) throws -> RunningNode {
        guard let runningNode else {
            throw CascadeError.outsideNode
        }
        return runningNode
    }

    func set(_ assignments: Assignments) async throws {
        try await runtime.link.set(assignments, at: place.path)
    }
}

/// Asks the owner of a value to change it; called like a function.
///
///     @Environment(\.write) var write
///     …
///     try await write(\.paperSize, .a3)
///
/// The owner is the nearest node above that set the value with
/// ``NodeConvertible/environment(_:_:scope:isSticky:onWrite:)``. The owner may refuse. The new value reaches
/// all nodes below the owner, the writer included.
public struct WriteValue: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Requests a value, and returns the value that the owner has set, which may differ.
    ///
    /// Throws as ``SendRequest`` does: ``RequestError/unhandled`` if the value has no owner above,
    /// and the owner's error if it refuses the value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value.
    ///   - value: The requested value.
    ///   - deadline: The time that the owner has; with `nil`, the bus's default.
    @discardableResult
    public func callAsFunction<Value: Codable & Sendable>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value,
        deadline: Duration? = nil
    ) async throws -> Value {
        let key = EnvironmentValues.key(of: keyPath)
        let raising = Raising(
            name: try EventName(WriteRequest.name(for: key)),
            payload: try PayloadCodec.encode(value, as: "value of '\(key.name)'"))
        let raised = try await raiser.raise(
            raising, raiser.options(.upward(.request), deadline: deadline))
        do {
            return try await RequestOutcome<Value>(
                raised.pending.value, toRequest: WriteRequest.name(for: key)
            ).reply
        } catch let error as CancellationError {
            await raised.pending.cancel()
            throw error
        }
    }
}

/// The request that writes a value on the bus: its payload is the value's JSON, and the owner
/// replies to it.
enum WriteRequest {
    static func name(for key: ErasedKey) -> String {
        "set:\(key.name)"
    }
}
