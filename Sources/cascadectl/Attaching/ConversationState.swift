// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The state of a conversation.
struct ConversationState {
    private enum Phase {
        /// Waits for the answer to the attach. Next: attached, or the end.
        case attaching
        /// Next: leaving, or the end.
        case attached
        /// Waits for the bus to take the node out of the tree. Next: the end.
        case leaving
    }

    let raises = RaiseQueue()
    private let conversation: Conversation
    private let inputs: AsyncStream<ConversationInput>.Continuation

    private var phase = Phase.attaching
    /// The node's current path, which changes when the node is moved.
    private var path: NodePath
    /// The events that arrived before the answer to the attach.
    private var early: [LinkEvent] = []
    private var watched = WatchedValues()
    /// The reducers of the node's preferences.
    private var reducers: [EventName: PreferenceReducer]
    private var open = OpenVisits()
    private var running = RunningVisits()
    private var seen = SeenVisits()
    /// The number of raised messages without an outcome.
    private var raisedCount = 0
    /// Whether a signal arrived before the answer to the attach.
    private var wantsToLeave = false
    /// Whether the bus has taken the node out of the tree.
    private var hasLeft = false
    /// Whether the program may still write lines.
    private var hasInput = true

    /// The time limit for a graceful leave, and for the answer to the attach before it, in seconds.
    private static let leaveSeconds = 10

    init(
        _ conversation: Conversation, inputs: AsyncStream<ConversationInput>.Continuation
    ) {
        self.conversation = conversation
        self.inputs = inputs
        path = conversation.declaration.path
        let offers = conversation.declaration.assignments.offers
        reducers = Dictionary(offers.map { ($0.key, $0.reducer) }) { $1 }
    }

    /// Processes inputs until the node has ended. Returns the result.
    consuming func take(
        _ stream: AsyncStream<ConversationInput>, _ group: inout DiscardingTaskGroup
    ) async -> Result<Void, any Error> {
        var state = self
        for await input in stream {
            do {
                try await state.take(input, &group)
            } catch {
                return .failure(error)
            }
            if state.isOver {
                break
            }
        }
        return .success(())
    }

    private mutating func take(
        _ input: ConversationInput, _ group: inout DiscardingTaskGroup
    ) async throws {
        switch input {
        case .link(let event): try await take(event, &group)
        case .attached: try await attached(&group)
        case .left: hasLeft = true
        case .failed(let error): try failed(error)
        case .line(let text): take(text, &group)
        case .endOfInput(let isGone): try endOfInput(isGone: isGone, &group)
        case .signalled: signalled(&group)
        case .lostPatience:
            try failed(Stop(.failure, "the node did not finish within \(Self.leaveSeconds) s"))
        case .answered(let token): running.end(token)
        case .raisedEnded(let line):
            raisedCount -= 1
            if let line {
                Output.line(line.text)
            }
        }
    }

    private var hasAttached: Bool {
        if case .attaching = phase { false } else { true }
    }

    /// Whether the conversation has ended. Visits that no line can answer any more are left to the
    /// bus, which treats the node as lost.
    private var isOver: Bool {
        guard case .leaving = phase else {
            return false
        }
        return hasInput ? hasLeft : (hasLeft || !open.isEmpty) && raisedCount == 0
    }

    // MARK: - The bus

    private mutating func attached(_ group: inout DiscardingTaskGroup) async throws {
        if case .attaching = phase {
            phase = .attached
            conversation.readiness.attached([path])
        }
        Output.line(JSONValue.members(["lane": "attached", "path": .text(path)]).text)
        let events = early
        early = []
        for event in events {
            try await take(event, &group)
        }
        if wantsToLeave {
            leave(&group)
        }
    }

    private mutating func take(
        _ event: LinkEvent, _ group: inout DiscardingTaskGroup
    ) async throws {
        switch event {
        case .invoke, .environment, .settledBefore:
            guard hasAttached else {
                early.append(event)
                return
            }
            await told(event, &group)
        case .beat(let beat):
            await conversation.bus.link.beatAnswered(beat)
        case .welcomed:
            // After a reconnect the bus repeats visits that still matter; open ones are dropped.
            for assignment in open.takeAll() {
                await conversation.finish(assignment, .notHandled)
            }
        case .detached(let detached):
            try self.detached(detached.reason, detached.sentence)
        case .reattachRefused(let error):
            try detached(error.reason, error.message)
        case .violated(let error):
            throw error
        case .cancelled(let token):
            await cancelled(token)
        case .moved(_, let path):
            self.path = path
            Output.line(JSONValue.members(["lane": "moved", "path": .text(path)]).text)
        case .foundNobody:
            leaveNobody()
        }
    }

    /// Processes visits, environment changes and earlier outcomes, in their order.
    private mutating func told(_ event: LinkEvent, _ group: inout DiscardingTaskGroup) async {
        switch event {
        case .invoke(let invocation, let visit): begin(invocation, visit, &group)
        case .environment(_, let changes):
            for line in watched.lines(changes) {
                Output.line(line.text)
            }
        case .settledBefore(let settled): await settledBefore(settled)
        default: break
        }
    }

    /// Prints and confirms the outcome of a durable event that an earlier session triggered here.
    private func settledBefore(_ settled: Settled) async {
        guard let id = settled.id else {
            return
        }
        let document = OutcomeDocument(
            id: id, name: settled.name, settled: SettledEvent(settled))
        let members = JSONValue.memberList(["lane": "outcome"]) + document.json.members
        Output.line(JSONValue.object(members).text)
        await conversation.bus.link.confirm(id)
    }

    private func detached(_ reason: ErrorCode?, _ sentence: String) throws {
        if case .leaving = phase, reason == .left {
            return
        }
        Output.line(
            JSONValue.members([
                "lane": "detached", "path": .text(path),
                "reason": reason.map { .string("\($0)") }, "message": .string(sentence),
            ]).text)
        throw CascadeError(.detached, sentence, reason: reason)
    }

    // MARK: - Visits

    private mutating func begin(
        _ invocation: Invocation, _ visit: Visit, _ group: inout DiscardingTaskGroup
    ) {
        guard let assignment = assignment(invocation, visit) else {
            return
        }
        Output.line(assignment.line.text)
        seen.append(visit)
        if case .lines = conversation.answering, assignment.option.error == nil {
            open.append(assignment)
            return
        }
        let conversation = conversation
        work(on: assignment, &group) { await conversation.answer(assignment) }
    }

    /// Runs the work on a visit after its delay, unless the visit is cancelled.
    private mutating func work(
        on assignment: Assignment, _ group: inout DiscardingTaskGroup,
        _ body: @escaping @Sendable () async -> Answer
    ) {
        let calledOff = running.begin(assignment)
        let conversation = conversation
        let inputs = inputs
        group.addTask {
            let answer = await assignment.answer(unless: calledOff) {
                await assignment.waitBeforeVerdict()
                return await body()
            }
            inputs.yield(.answered(assignment.invocation.token))
            await conversation.finish(assignment, answer)
        }
    }

    /// Cancels a visit: the program that works on it is notified or stopped.
    private mutating func cancelled(_ token: InvocationToken) async {
        if let assignment = open.cancel(token) {
            Output.line(assignment.cancelLine.text)
            await conversation.finish(assignment, .notHandled)
        } else if let assignment = running.cancel(token) {
            Output.line(assignment.cancelLine.text)
        }
    }

    private func assignment(_ invocation: Invocation, _ visit: Visit) -> Assignment? {
        switch invocation.target {
        case .responder(let index):
            guard conversation.responders.indices.contains(index) else {
                return nil
            }
            return Assignment(
                invocation: invocation, visit: visit, option: conversation.responders[index],
                index: index)
        case .subscription:
            return conversation.subscriptions.firstIndex { $0.subscription == visit.name }
                .map { index in
                    Assignment(
                        invocation: invocation, visit: visit,
                        option: conversation.subscriptions[index], index: index)
                }
        }
    }

    // MARK: - Lines

    private mutating func take(_ text: String, _ group: inout DiscardingTaskGroup) {
        guard !text.allSatisfy(\.isWhitespace) else {
            return
        }
        do throws(InputLine.Problem) {
            switch try InputLine(text, from: path) {
            case .verdict(let id, let answer):
                take(answer, to: id, &group)
            case .raise(let raised):
                try raise(raised)
            case .assign(let assigned):
                try assign(assigned)
            case .active(let isActive):
                activate(isActive, &group)
            }
        } catch {
            Output.line(JSONValue.problem(error.message, ref: error.ref).text)
        }
    }

    private mutating func take(
        _ answer: Answer, to id: String, _ group: inout DiscardingTaskGroup
    ) {
        if let assignment = open.take(id) {
            work(on: assignment, &group) { answer }
        } else if !open.forgives(id) {
            Output.line(JSONValue.problem("no visit '\(id)' waits for a verdict").text)
        }
    }

    private mutating func raise(_ raised: InputLine.Raised) throws(InputLine.Problem) {
        var options = raised.options
        if let id = raised.cause {
            guard let cause = seen[id] else {
                throw InputLine.Problem(
                    message: "this node has not seen a visit '\(id)' recently", ref: raised.ref)
            }
            options.cause = cause
        }
        raisedCount += 1
        raises.append(.raise(raised.raising, options, ref: raised.ref))
    }

    private mutating func assign(_ assigned: Assigned) throws(InputLine.Problem) {
        let assignments = try assigned.assignments(&reducers)
        raisedCount += 1
        raises.append(.set(assignments, at: path, ref: assigned.ref))
    }

    private func activate(_ isActive: Bool, _ group: inout DiscardingTaskGroup) {
        let link = conversation.bus.link
        let path = path
        group.addTask {
            do {
                try await link.activate(path, isActive: isActive)
            } catch {
                Output.line(JSONValue.problem("\(error)").text)
            }
        }
    }

    // MARK: - Leaving

    /// Begins to leave. A second signal ends the wait.
    private mutating func signalled(_ group: inout DiscardingTaskGroup) {
        switch phase {
        case .attaching where !wantsToLeave:
            wantsToLeave = true
            losePatienceLater(&group)
        case .attached:
            leave(&group)
        case .attaching, .leaving:
            phase = .leaving
            hasLeft = true
        }
    }

    /// Ends the conversation with an error, unless the node was asked to leave before it attached.
    private mutating func failed(_ error: any Error) throws {
        guard leaveNobody() else {
            throw error
        }
    }

    /// Ends the conversation if the node was asked to leave and is not in the tree. Returns whether
    /// it did.
    @discardableResult
    private mutating func leaveNobody() -> Bool {
        guard case .attaching = phase, wantsToLeave else {
            return false
        }
        phase = .leaving
        hasLeft = true
        return true
    }

    /// Begins to leave at the end of the input. If the program has exited, its node is lost.
    private mutating func endOfInput(
        isGone: Bool, _ group: inout DiscardingTaskGroup
    ) throws {
        hasInput = false
        if isGone, case .attached = phase {
            throw Stop(.failure, "the program behind \(path) is gone, so the node is lost")
        }
        leave(&group)
    }

    private mutating func leave(_ group: inout DiscardingTaskGroup) {
        guard case .attached = phase else {
            return
        }
        phase = .leaving
        conversation.readiness.leaving()
        let link = conversation.bus.link
        let inputs = inputs
        group.addTask {
            do {
                try await link.leave()
                inputs.yield(.left)
            } catch {
                inputs.yield(.failed(error))
            }
        }
        losePatienceLater(&group)
    }

    private func losePatienceLater(_ group: inout DiscardingTaskGroup) {
        let inputs = inputs
        group.addTask {
            // Cancelled if the node has ended in time.
            try? await Task.sleep(for: .seconds(Self.leaveSeconds))
            if !Task.isCancelled {
                inputs.yield(.lostPatience)
            }
        }
    }
}
