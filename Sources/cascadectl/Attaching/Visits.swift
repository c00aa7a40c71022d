// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import DequeModule

/// The visits that a program has not answered.
struct OpenVisits {
    private var visits: [PendingVisit] = []
    /// The IDs of recently cancelled visits, for which the program may still write verdicts.
    private var cancelled: [String] = []

    private static let cancelledCountMax = 256

    var isEmpty: Bool {
        visits.isEmpty
    }

    mutating func append(_ pending: PendingVisit) {
        visits.append(pending)
    }

    /// Removes and returns the oldest visit with this ID; an event may visit several responders of
    /// one node.
    mutating func remove(_ id: String) -> PendingVisit? {
        let index = visits.firstIndex { $0.visit.id.description == id }
        return index.map { visits.remove(at: $0) }
    }

    /// Removes and returns all visits.
    mutating func removeAll() -> [PendingVisit] {
        defer { visits = [] }
        return visits
    }

    /// Removes and returns a visit that the bus has cancelled; `nil` if it is not open.
    mutating func cancel(_ token: InvocationToken) -> PendingVisit? {
        guard let index = visits.firstIndex(where: { $0.invocation.token == token }) else {
            return nil
        }
        let pending = visits.remove(at: index)
        cancelled = cancelled.suffix(Self.cancelledCountMax - 1) + [pending.visit.id.description]
        return pending
    }

    /// Removes the ID of a recently cancelled visit. Returns `false` if `id` is none, and the
    /// verdict for it is an error.
    mutating func removeCancelled(_ id: String) -> Bool {
        guard let index = cancelled.firstIndex(of: id) else {
            return false
        }
        cancelled.remove(at: index)
        return true
    }
}

// MARK: - Visits in progress

/// The visits on which a command or a default answer is working.
struct RunningVisits {
    private var work: [InvocationToken: (PendingVisit, AsyncStream<Void>.Continuation)] = [:]

    /// Adds a visit. Returns a stream without elements that ends when the visit is cancelled.
    mutating func begin(_ pending: PendingVisit) -> AsyncStream<Void> {
        let (cancellation, continuation) = AsyncStream<Void>.makeStream()
        work[pending.invocation.token] = (pending, continuation)
        return cancellation
    }

    mutating func end(_ token: InvocationToken) {
        work[token] = nil
    }

    /// Cancels a visit and returns it; `nil` if it is not in progress.
    mutating func cancel(_ token: InvocationToken) -> PendingVisit? {
        guard let (pending, continuation) = work.removeValue(forKey: token) else {
            return nil
        }
        continuation.finish()
        return pending
    }
}

extension PendingVisit {
    /// Returns the answer of `body`, or `notHandled` if `cancellation` ends first.
    func answer(
        unless cancellation: AsyncStream<Void>, _ body: @escaping @Sendable () async -> Answer
    ) async -> Answer {
        await withTaskGroup(of: Answer.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in cancellation {}
                return .notHandled
            }
            let answer = await group.next() ?? .notHandled
            group.cancelAll()
            return answer
        }
    }
}

// MARK: - Causes

/// The visits that arrived recently, which the node's messages may name as their cause.
struct SeenVisits {
    private var causes: [String: Cause] = [:]
    /// The IDs in the order of arrival.
    private var order: Deque<String> = []

    /// The number of visits to remember; a program names its current or a recent visit.
    private static let countMax = 1024

    mutating func append(_ visit: Visit) {
        let id = visit.id.description
        let cause = Cause(
            id: visit.id, depth: visit.causes, traceParent: visit.traceParent)
        guard causes.updateValue(cause, forKey: id) == nil else {
            return
        }
        order.append(id)
        if order.count > Self.countMax {
            causes[order.removeFirst()] = nil
        }
    }

    /// Returns the visit as a cause; `nil` if it never arrived, or too many others arrived since.
    subscript(id: String) -> Cause? {
        causes[id]
    }
}
