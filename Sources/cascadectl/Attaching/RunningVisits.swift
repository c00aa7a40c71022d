// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Visits that answer themselves, or that a program is run for: work that can be called off.
struct RunningVisits {
    private var work: [InvocationToken: (Assignment, AsyncStream<Void>.Continuation)] = [:]

    /// Notes that work begins; returns what ends when it is called off.
    mutating func begin(_ assignment: Assignment) -> AsyncStream<Void> {
        let (calledOff, continuation) = AsyncStream<Void>.makeStream()
        work[assignment.invocation.token] = (assignment, continuation)
        return calledOff
    }

    mutating func end(_ token: InvocationToken) {
        work[token] = nil
    }

    /// Calls off the work on a visit; returns what it was.
    mutating func cancel(_ token: InvocationToken) -> Assignment? {
        guard let (assignment, continuation) = work.removeValue(forKey: token) else {
            return nil
        }
        continuation.finish()
        return assignment
    }
}

extension Assignment {
    /// What `body` answers, or that the visit was not handled where the work is called off first.
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
