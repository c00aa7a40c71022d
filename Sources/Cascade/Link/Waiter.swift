// SPDX-License-Identifier: Apache-2.0

/// A task that waits on an actor for a result. Unlike a continuation, it stops waiting when it is
/// cancelled.
package struct Waiter<Value: Sendable>: Sendable {
    private let continuation: AsyncStream<Result<Value, any Error>>.Continuation

    /// Waits for the result with which the waiter is resumed. Throws `CancellationError` if the
    /// task is cancelled before.
    ///
    /// - Parameter begin: Stores the waiter for the code that resumes it.
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
