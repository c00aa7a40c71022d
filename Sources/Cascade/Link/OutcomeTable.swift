// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
import DequeModule

/// The outcomes of raised messages: those that have arrived, and the tasks that wait for the
/// others.
///
/// The table drops an outcome after ``settledCountMax`` newer ones have arrived.
struct OutcomeTable {
    private enum State {
        case pending([Waiter<SettledEvent>])
        case settled(Result<SettledEvent, CascadeError>)
    }

    /// The states by sequence number.
    private var states: [UInt64: State] = [:]
    /// The sequence numbers of settled messages, the oldest first.
    private var settledOrder: Deque<UInt64> = []

    /// The number of settled outcomes that are kept for late or repeated reads.
    private static let settledCountMax = 4096

    mutating func begin(_ sequence: UInt64) {
        states[sequence] = .pending([])
    }

    mutating func settle(_ sequence: UInt64, _ result: Result<SettledEvent, CascadeError>) {
        if case .pending(let waiters) = states[sequence] {
            for waiter in waiters {
                waiter.resume(with: result.mapError { $0 })
            }
        }
        states[sequence] = .settled(result)
        settledOrder.append(sequence)
        if settledOrder.count > Self.settledCountMax {
            states[settledOrder.removeFirst()] = nil
        }
    }

    /// Returns the outcome if it has arrived.
    func settled(_ sequence: UInt64) -> Result<SettledEvent, CascadeError>? {
        guard case .settled(let result) = states[sequence] else {
            return nil
        }
        return result
    }

    /// Adds a task that waits for an outcome. The wait fails if the outcome is no longer known.
    mutating func wait(for sequence: UInt64, _ waiter: Waiter<SettledEvent>) {
        guard case .pending(let waiters) = states[sequence] else {
            waiter.resume(
                with: .failure(
                    CascadeError(
                        .notRunning, "the outcome of event \(sequence) is no longer known")))
            return
        }
        states[sequence] = .pending(waiters + [waiter])
    }

    /// Fails all waiting tasks: the session has ended.
    mutating func failAll(_ error: CascadeError) {
        for case .pending(let waiters) in states.values {
            for waiter in waiters {
                waiter.resume(with: .failure(error))
            }
        }
        states = states.filter { state in
            if case .settled = state.value { true } else { false }
        }
    }
}

/// A reference to the outcome of a message that was raised.
struct PendingOutcome: Sendable {
    let sequence: UInt64
    let link: Link

    var value: SettledEvent {
        get async throws {
            try await link.outcome(of: sequence)
        }
    }

    /// Cancels the request, and the task of the responder that works on it.
    func cancel() async {
        await link.cancel(sequence)
    }
}

/// The outcome of a message, with paths in place of node numbers.
package struct SettledEvent: Sendable {
    package var ended: Ended
    /// The node that handled the message.
    package var by: NodePath?
    /// The reply to a request.
    package var reply: Reply?
}

extension SettledEvent {
    package init(_ settled: Settled) {
        self.init(ended: settled.ended, by: settled.handler)
    }
}

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
