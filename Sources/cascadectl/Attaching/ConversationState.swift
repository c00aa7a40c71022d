// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The state of a ``Conversation``, which processes its inputs one at a time.
struct ConversationState {
    private enum Phase {
        /// Waits for the bus's answer to the attach. Next: attached, or the end.
        case attaching
        /// Next: leaving, or the end.
        case attached
        /// Waits for the bus to take the node out of the tree. Next: the end.
        case leaving
    }

    let queue = RaiseQueue()
    private let conversation: Conversation
    private let inputs: AsyncStream<ConversationInput>.Continuation

    private var phase = Phase.attaching
    /// The node's current path, which changes when the node is moved.
    private var path: NodePath
    /// The events that arrived before the answer to the attach, in order.
    private var earlyEvents: [LinkEvent] = []
    private var knownValues = WatchedValues()
    /// The reducers of the node's preferences.
    private var reducers: [EventName: PreferenceReducer]
    private var visits: Visits
    /// The number of entries of the queue that have not ended.
    private var unfinishedCount = 0
    /// Whether a signal arrived before the answer to the attach.
    private var leavesOnceAttached = false
    /// Whether the bus has taken the node out of the tree.
    private var hasLeft = false
    /// Whether the program may still write lines.
    private var hasInput = true

    /// The time limit, in seconds, for leaving, and for an attach that a signal interrupts.
    private static let leaveSeconds = 10

    init(
        _ conversation: Conversation, inputs: AsyncStream<ConversationInput>.Continuation
    ) {
        self.conversation = conversation
        self.inputs = inputs
        path = conversation.declaration.path
        visits = Visits(of: conversation, inputs: inputs)
        let offers = conversation.declaration.assignments.offers
        reducers = Dictionary(offers.map { ($0.key, $0.reducer) }) { $1 }
    }

    /// Processes inputs until the conversation has ended. Returns its result.
    consuming func run(
        _ stream: AsyncStream<ConversationInput>, _ group: inout DiscardingTaskGroup
    ) async -> Result<Void, any Error> {
        var state = self
        for await input in stream {
            do {
                try await state.process(input, &group)
            } catch {
                return .failure(error)
            }
            if state.isOver {
                break
            }
        }
        return .success(())
    }

    private mutating func process(
        _ input: ConversationInput, _ group: inout DiscardingTaskGroup
    ) async throws {
        switch input {
        case .link(let event): try await process(event, &group)
        case .attached: try await attached(&group)
        case .left: hasLeft = true
        case .failed(let error): try failed(error)
        case .line(let text):
            // A signal may arrive before the attachment. The node cannot trigger anything then.
            if hasAttached {
                process(line: text, &group)
            }
        case .endOfInput(let hasExited): try endOfInput(hasExited: hasExited, &group)
        case .signalled: signalled(&group)
        case .leaveTimedOut:
            try failed(Stop(.failure, "the node did not finish within \(Self.leaveSeconds) s"))
        case .answered(let token): visits.ended(token)
        case .entryEnded(let line):
            unfinishedCount -= 1
            if let line {
                Output.line(line.text)
            }
        }
    }

    private var hasAttached: Bool {
        if case .attaching = phase { false } else { true }
    }

    /// Whether the conversation has ended. If visits are open at the end of the input, no line can
    /// answer them; the session ends, and the bus treats the node as lost.
    private var isOver: Bool {
        guard case .leaving = phase else {
            return false
        }
        return hasInput ? hasLeft : (hasLeft || visits.areOpen) && unfinishedCount == 0
    }

    // MARK: - The bus

    private mutating func attached(_ group: inout DiscardingTaskGroup) async throws {
        if case .attaching = phase {
            phase = .attached
            conversation.readiness.attached([path])
        }
        Output.line(JSONValue.members(["lane": "attached", "path": .text(path)]).text)
        let events = earlyEvents
        earlyEvents = []
        for event in events {
            try await process(event, &group)
        }
        if leavesOnceAttached {
            leave(&group)
        }
    }

    private mutating func process(
        _ event: LinkEvent, _ group: inout DiscardingTaskGroup
    ) async throws {
        switch event {
        case .invoke, .environment, .settledBefore:
            guard hasAttached else {
                earlyEvents.append(event)
                return
            }
            await processInOrder(event, &group)
        case .beat(let beat):
            await conversation.bus.link.beatAnswered(beat)
        case .welcomed:
            // After a reconnect the bus repeats the visits that still await a verdict, so the open
            // ones are dropped.
            await visits.dropOpen()
        case .detached(let detached):
            try self.detached(detached.reason, detached.sentence)
        case .reattachRefused(let error):
            try detached(error.reason, error.message)
        case .violated(let error):
            throw error
        case .cancelled(let token):
            await visits.cancel(token)
        case .moved(_, let path):
            self.path = path
            Output.line(JSONValue.members(["lane": "moved", "path": .text(path)]).text)
        case .noBusFound:
            endUnattached()
        }
    }

    /// Processes a visit, an environment change or an outcome of a previous session. Those that
    /// arrived before the answer to the attach are processed after it, in order.
    private mutating func processInOrder(
        _ event: LinkEvent, _ group: inout DiscardingTaskGroup
    ) async {
        switch event {
        case .invoke(let invocation, let visit):
            visits.begin(invocation, visit, at: path, &group)
        case .environment(_, let changes):
            for line in knownValues.lines(changes) {
                Output.line(line.text)
            }
        case .settledBefore(let settled): await settledBefore(settled)
        default: break
        }
    }

    /// Prints and confirms the outcome of a durable event that a previous session of this node
    /// triggered without learning its outcome.
    private func settledBefore(_ settled: Settled) async {
        guard let id = settled.id else {
            return
        }
        let document = RaisedOutcome(
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

    // MARK: - Lines

    private mutating func process(line text: String, _ group: inout DiscardingTaskGroup) {
        guard !text.allSatisfy(\.isWhitespace) else {
            return
        }
        do throws(InputLine.Problem) {
            switch try InputLine(text, from: path) {
            case .verdict(let id, let answer):
                visits.answer(id, answer, &group)
            case .raise(let raised):
                try raise(raised)
            case .assign(let assigned):
                try assign(assigned)
            case .active(let isActive, let ref):
                unfinishedCount += 1
                queue.append(.activate(isActive, path, ref: ref))
            }
        } catch {
            Output.line(JSONValue.problem(error.message, ref: error.ref).text)
        }
    }

    private mutating func raise(_ raised: InputLine.Raised) throws(InputLine.Problem) {
        var options = raised.options
        if let id = raised.cause {
            guard let cause = visits.cause(id) else {
                throw InputLine.Problem(
                    message: "this node has not seen a visit '\(id)' recently", ref: raised.ref)
            }
            options.cause = cause
        }
        unfinishedCount += 1
        queue.append(.raise(raised.raising, options, ref: raised.ref))
    }

    private mutating func assign(_ assigned: InputValues) throws(InputLine.Problem) {
        let assignments = try assigned.assignments(&reducers)
        unfinishedCount += 1
        queue.append(.set(assignments, at: path, ref: assigned.ref))
    }

    // MARK: - Leaving

    /// Leaves at the first signal. A second signal ends the conversation at once.
    private mutating func signalled(_ group: inout DiscardingTaskGroup) {
        switch phase {
        case .attaching where !leavesOnceAttached:
            leavesOnceAttached = true
            limitLeave(&group)
        case .attached:
            leave(&group)
        case .attaching, .leaving:
            phase = .leaving
            hasLeft = true
        }
    }

    /// Ends the conversation with an error, unless a signal asked the node to leave before it
    /// attached.
    private mutating func failed(_ error: any Error) throws {
        guard endUnattached() else {
            throw error
        }
    }

    /// Ends the conversation if a signal asked the node to leave before it attached. Returns
    /// whether it did.
    @discardableResult
    private mutating func endUnattached() -> Bool {
        guard case .attaching = phase, leavesOnceAttached else {
            return false
        }
        phase = .leaving
        hasLeft = true
        return true
    }

    /// Leaves at the end of the input. Throws if the program has exited: its node is lost.
    private mutating func endOfInput(
        hasExited: Bool, _ group: inout DiscardingTaskGroup
    ) throws {
        hasInput = false
        if hasExited, case .attached = phase {
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
        limitLeave(&group)
    }

    /// Ends the conversation after the time limit for leaving.
    private func limitLeave(_ group: inout DiscardingTaskGroup) {
        let inputs = inputs
        group.addTask {
            // The conversation cancels the task if it ends in time.
            try? await Task.sleep(for: .seconds(Self.leaveSeconds))
            if !Task.isCancelled {
                inputs.yield(.leaveTimedOut)
            }
        }
    }
}
