// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
import Synchronization

/// The outcome of one raised message, which the link settles once.
///
/// Tasks wait for it without the link's thread: a task resumes where it runs.
package final class PendingOutcome: Sendable {
    private enum State {
        case pending([Waiter<SettledEvent>])
        case settled(Result<SettledEvent, any Error>)
    }

    private let sequence: UInt64
    private let link: Link
    /// The deadline that the caller named; `nil` for none.
    let deadline: CallDeadline?
    private let state = Mutex(State.pending([]))

    init(of sequence: UInt64, on link: Link, _ deadline: CallDeadline?) {
        self.sequence = sequence
        self.link = link
        self.deadline = deadline
    }

    /// The outcome, when the message has ended. Throws ``CascadeError`` if the bus refused the
    /// message or the link was closed before, and `CancellationError` if the task is cancelled.
    package var value: SettledEvent {
        get async throws {
            try await Waiter.value { waiter in
                let result = state.withLock { state -> Result<SettledEvent, any Error>? in
                    switch state {
                    case .settled(let result):
                        return result
                    case .pending(let waiters):
                        state = .pending(waiters + [waiter])
                        return nil
                    }
                }
                if let result {
                    waiter.resume(with: result)
                }
            }
        }
    }

    func settle(_ result: Result<SettledEvent, any Error>) {
        let waiters = state.withLock { state -> [Waiter<SettledEvent>] in
            guard case .pending(let waiters) = state else {
                return []
            }
            state = .settled(result)
            return waiters
        }
        for waiter in waiters {
            waiter.resume(with: result)
        }
    }

    /// Cancels the request, and the task of the responder that works on it.
    func cancel() async {
        await link.cancel(sequence)
    }
}

/// A task that waits for a result. Unlike a continuation, it stops waiting when it is cancelled.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        /// The task does not wait yet.
        case created
        case waiting(CheckedContinuation<Value, any Error>)
        /// The result arrived before the task waited.
        case resumed(Result<Value, any Error>)
        case ended
    }

    private let state = Mutex(State.created)

    private init() {}

    /// Waits for the result with which the waiter is resumed. Throws `CancellationError` if the
    /// task is cancelled before.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, which the task does not leave.
    ///   - begin: Stores the waiter for the code that resumes it.
    package static func value(
        isolation: isolated (any Actor)? = #isolation, _ begin: (Waiter) -> Void
    ) async throws -> Value {
        let waiter = Waiter()
        begin(waiter)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter.wait($0) }
        } onCancel: {
            waiter.resume(with: .failure(CancellationError()))
        }
    }

    private func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            guard case .resumed(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .ended
            return result
        }
        if let result {
            continuation.resume(with: result)
        }
    }

    /// Ends the wait; only the first call counts.
    package func resume(with result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .created:
                state = .resumed(result)
                return nil
            case .waiting(let continuation):
                state = .ended
                return continuation
            case .resumed, .ended:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
