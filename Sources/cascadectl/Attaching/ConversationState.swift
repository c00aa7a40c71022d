// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// Where a conversation stands.
struct ConversationState {
    private enum Phase {
        /// The bus has not answered yet. Exits: attached, or the end.
        case attaching
        /// Exits: leaving, or the end.
        case attached
        /// The bus was asked to take the node out of the tree. Exits: the end.
        case leaving
    }

    let raises = RaiseQueue()
    private let conversation: Conversation
    private let inputs: AsyncStream<ConversationInput>.Continuation

    private var phase = Phase.attaching
    /// Where the node is: somebody may move it.
    private var path: NodePath
    /// What came before the answer to the attach was seen.
    private var early: [LinkEvent] = []
    private var watched = WatchedValues()
    /// By which reducers the node's preferences become one with those of others.
    private var reducers: [EventName: PreferenceReducer]
    private var open = OpenVisits()
    private var running = RunningVisits()
    private var seen = SeenVisits()
    /// What was raised and has not ended.
    private var raisedCount = 0
    /// Whether a signal came before the bus's answer to the attach.
    private var wantsToLeave = false
    /// Whether the bus has let the node go.
    private var hasLeft = false
    /// Whether lines may still come.
    private var hasInput = true

    /// How long a graceful leave may take, and the bus's answer to the attach before it.
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

    /// Takes inputs until the node has ended; says how.
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

    /// Whether there is nothing left to wait for. Visits that no line can answer any more are the
    /// bus's business: for it, the node is lost with them.
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
            // A new connection: what is still wanted is asked again, what was open is forgotten.
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

    /// Visits, what the node reads, and earlier outcomes, in the order in which the bus told them.
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

    /// How a durable event ended that an earlier session had triggered here.
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

    /// Answers a visit after its delay, unless that is called off.
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

    /// Whoever asked no longer waits: a program that works on it is told, or stopped.
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
            Output.line(JSONValue.problem("nobody waits for a verdict on '\(id)'").text)
        }
    }

    private mutating func raise(_ raised: InputLine.Raised) throws(InputLine.Problem) {
        var options = raised.options
        if let id = raised.cause {
            guard let cause = seen[id] else {
                throw InputLine.Problem(
                    message: "this node has seen no visit '\(id)' lately", ref: raised.ref)
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

    /// The second signal does not wait any longer.
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

    /// What keeps the node from attaching is no failure of one that was asked to leave meanwhile.
    private mutating func failed(_ error: any Error) throws {
        guard leaveNobody() else {
            throw error
        }
    }

    /// Ends the node if it was asked to leave and is not in the tree: there is nothing to wait
    /// for. Returns whether that is so.
    @discardableResult
    private mutating func leaveNobody() -> Bool {
        guard case .attaching = phase, wantsToLeave else {
            return false
        }
        phase = .leaving
        hasLeft = true
        return true
    }

    /// A program that is gone has not left: for the bus, its node is lost.
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
            // Cut short when the node has ended in time.
            try? await Task.sleep(for: .seconds(Self.leaveSeconds))
            if !Task.isCancelled {
                inputs.yield(.lostPatience)
            }
        }
    }
}
