// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Asks the owner of a value to change it; called like a function.
///
///     @Environment(\.write) var write
///     …
///     try await write(\.paperSize, .a3)
///
/// The owner is the nearest node above that has set the value with
/// ``Node/environment(_:_:scope:isSticky:onWrite:)``. It may refuse. The new value comes down to
/// everybody below the owner, the writer included.
public struct WriteValue: Sendable {
    private let raiser: Raiser

    package init(link: Link?, origin: RaiseOptions.Origin) {
        raiser = Raiser(link: link, origin: origin)
    }

    /// Asks for a value and returns what the owner has set, which may be another one.
    ///
    /// Throws as ``SendRequest`` does: ``RequestError/unhandled`` if nobody above owns the value,
    /// and what the owner has thrown to refuse it.
    ///
    /// - Parameters:
    ///   - keyPath: which value.
    ///   - value: what it is to be.
    ///   - deadline: how long the owner may take; the bus's default if `nil`.
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

/// How a value is written on the bus: a request with the value's JSON, which the owner answers.
enum WriteRequest {
    static func name(for key: ErasedKey) -> String {
        "set:\(key.name)"
    }
}
