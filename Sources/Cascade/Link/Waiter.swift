// SPDX-License-Identifier: Apache-2.0

/// A task that waits, on an actor, for what will come: unlike with a continuation, it waits no
/// longer when it is cancelled.
package struct Waiter<Value: Sendable>: Sendable {
    private let continuation: AsyncStream<Result<Value, any Error>>.Continuation

    /// Waits for what the waiter is resumed with. Throws `CancellationError` if the task is
    /// cancelled before.
    ///
    /// - Parameter begin: puts the waiter where it will be found.
    package static func value(_ begin: (Waiter) -> Void) async throws -> Value {
        let (stream, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
        begin(Waiter(continuation: continuation))
        for await result in stream {
            return try result.get()
        }
        throw CancellationError()
    }

    package func resume(with result: Result<Value, any Error>) {
        continuation.yield(result)
        continuation.finish()
    }
}
