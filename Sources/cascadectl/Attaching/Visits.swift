// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import DequeModule

/// The visits of a ``Conversation``, from their arrival to their answers.
struct Visits {
    private let conversation: Conversation
    private let inputs: AsyncStream<ConversationInput>.Continuation
    private var open = OpenVisits()
    private var running = RunningVisits()
    private var seen = SeenVisits()

    /// - Parameter inputs: Receives ``ConversationInput/answered(_:)`` when the answer to a visit is
    ///   known.
    init(of conversation: Conversation, inputs: AsyncStream<ConversationInput>.Continuation) {
        self.conversation = conversation
        self.inputs = inputs
    }

    /// Whether visits wait for a line of the program.
    var areOpen: Bool {
        !open.isEmpty
    }

    /// Returns a recent visit as the cause of a message; `nil` if it never arrived, or too many
    /// others arrived since.
    func cause(_ id: String) -> Cause? {
        seen[id]
    }

    // MARK: - Arrival

    /// Prints a visit, and answers it unless a line of the program will.
    ///
    /// - Parameter path: The node's current path.
    mutating func begin(
        _ invocation: Invocation, _ visit: Visit, at path: NodePath,
        _ group: inout DiscardingTaskGroup
    ) {
        guard let pending = pendingVisit(invocation, visit) else {
            fail(invocation, visit, at: path, &group)
            return
        }
        Output.line(pending.line.text)
        seen.append(visit)
        if case .lines = conversation.answering, pending.option.error == nil {
            open.append(pending)
            return
        }
        let conversation = conversation
        work(on: pending, &group) { await conversation.answer(pending) }
    }

    private func pendingVisit(_ invocation: Invocation, _ visit: Visit) -> PendingVisit? {
        switch invocation.target {
        case .responder(let index):
            guard conversation.responders.indices.contains(index) else {
                return nil
            }
            return PendingVisit(
                invocation: invocation, visit: visit, option: conversation.responders[index],
                index: index)
        case .subscription:
            return conversation.subscriptions.firstIndex { $0.subscription == visit.name }
                .map { index in
                    PendingVisit(
                        invocation: invocation, visit: visit,
                        option: conversation.subscriptions[index], index: index)
                }
        }
    }

    /// Fails a visit to a responder or subscription that the node does not have.
    private func fail(
        _ invocation: Invocation, _ visit: Visit, at path: NodePath,
        _ group: inout DiscardingTaskGroup
    ) {
        let message =
            switch invocation.target {
            case .responder(let index): "'\(path)' has no responder \(index)"
            case .subscription: "'\(path)' has no subscription to '\(visit.name)'"
            }
        let link = conversation.bus.link
        group.addTask {
            await link.finished(
                invocation.token, .failed(Failure(.responderFailed, message: message)),
                microseconds: 0)
        }
    }

    // MARK: - Answers

    /// Answers the oldest open visit with this ID, as a line of the program says. Prints a problem if
    /// there is none.
    mutating func answer(_ id: String, _ answer: Answer, _ group: inout DiscardingTaskGroup) {
        if let pending = open.remove(id) {
            work(on: pending, &group) { answer }
        } else if !open.removeCancelled(id) {
            Output.line(JSONValue.problem("no visit '\(id)' waits for a verdict").text)
        }
    }

    /// Answers a visit with the result of `body` after the responder's delay, unless the visit is
    /// cancelled first.
    private mutating func work(
        on pending: PendingVisit, _ group: inout DiscardingTaskGroup,
        _ body: @escaping @Sendable () async -> Answer
    ) {
        let cancellation = running.begin(pending)
        let conversation = conversation
        let inputs = inputs
        group.addTask {
            let answer = await pending.answer(unless: cancellation) {
                await pending.waitBeforeVerdict()
                return await body()
            }
            inputs.yield(.answered(pending.invocation.token))
            await conversation.finish(pending, answer)
        }
    }

    /// Records that a visit has been answered.
    mutating func ended(_ token: InvocationToken) {
        running.end(token)
    }

    /// Cancels a visit. The program behind the node reads a line about it; a command is ended.
    mutating func cancel(_ token: InvocationToken) async {
        if let pending = open.cancel(token) {
            Output.line(pending.cancelLine.text)
            await conversation.finish(pending, .notHandled)
        } else if let pending = running.cancel(token) {
            Output.line(pending.cancelLine.text)
        }
    }

    /// Declines all open visits.
    mutating func dropOpen() async {
        for pending in open.removeAll() {
            await conversation.finish(pending, .notHandled)
        }
    }
}

// MARK: - Open visits

/// The visits that a program has not answered.
private struct OpenVisits {
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
private struct RunningVisits {
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
    fileprivate func answer(
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
private struct SeenVisits {
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
