// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// The visits that are answered by default or by a command, and can be cancelled.
struct RunningVisits {
    private var work: [InvocationToken: (Assignment, AsyncStream<Void>.Continuation)] = [:]

    /// Adds a visit. Returns a stream that ends when the visit is cancelled.
    mutating func begin(_ assignment: Assignment) -> AsyncStream<Void> {
        let (calledOff, continuation) = AsyncStream<Void>.makeStream()
        work[assignment.invocation.token] = (assignment, continuation)
        return calledOff
    }

    mutating func end(_ token: InvocationToken) {
        work[token] = nil
    }

    /// Cancels a visit and returns it.
    mutating func cancel(_ token: InvocationToken) -> Assignment? {
        guard let (assignment, continuation) = work.removeValue(forKey: token) else {
            return nil
        }
        continuation.finish()
        return assignment
    }
}

extension Assignment {
    /// Returns the answer of `body`, or `notHandled` if the visit is cancelled first.
    func answer(
        unless calledOff: AsyncStream<Void>, _ body: @escaping @Sendable () async -> Answer
    ) async -> Answer {
        await withTaskGroup(of: Answer.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in calledOff {}
                return .notHandled
            }
            let answer = await group.next() ?? .notHandled
            group.cancelAll()
            return answer
        }
    }
}
