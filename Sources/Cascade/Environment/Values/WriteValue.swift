// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Asks the owner of a value to change it; called like a function.
///
///     @Environment(\.write) var write
///     …
///     try await write(\.paperSize, .a3)
///
/// The owner is the nearest node above that set the value with
/// ``Node/environment(_:_:scope:isSticky:onWrite:)``. The owner may refuse. The new value reaches
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
