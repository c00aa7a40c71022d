// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import Glibc

/// A node of the shell: everything that happens to it comes in one by one, whatever side it comes
/// from, and what follows is printed, answered or raised.
struct Conversation: Sendable {
    /// Who answers the visits.
    enum Answering: Sendable {
        /// Each kind of responder by itself.
        case alone
        /// A program that is run for each visit.
        case command(ProgramFile, CommandGuard)
        /// A program that writes lines.
        case lines
    }

    let bus: Bus
    let declaration: NodeDeclaration
    let responders: [ResponderOption]
    let subscriptions: [ResponderOption]
    let answering: Answering
    let readiness = ServiceReadiness()

    /// Attaches and serves until a signal or the end of the input asks to leave. Throws what
    /// ends the node otherwise.
    func run() async throws {
        // A command that does not read its input must not end the node.
        signal(SIGPIPE, SIG_IGN)
        let (inputs, continuation) = AsyncStream.makeStream(of: ConversationInput.self)
        try LeaveSignals.read { continuation.yield(.signalled) }
        let ending = await withDiscardingTaskGroup { group -> Result<Void, any Error> in
            let state = ConversationState(self, inputs: continuation)
            group.addTask { await listen(continuation) }
            group.addTask { await attach(continuation) }
            group.addTask { await readiness.giveSigns(by: bus.link) }
            group.addTask {
                await state.raises.run(bus.link) { continuation.yield(.raisedEnded($0)) }
            }
            let ending = await state.take(inputs, &group)
            // Whoever still waits for the bus is let go.
            await bus.close()
            group.cancelAll()
            return ending
        }
        try ending.get()
    }

    private func listen(_ inputs: AsyncStream<ConversationInput>.Continuation) async {
        for await event in bus.link.work {
            inputs.yield(.link(event))
        }
    }

    private func attach(_ inputs: AsyncStream<ConversationInput>.Continuation) async {
        do {
            try await bus.link.attach([declaration], names: [])
            inputs.yield(.attached)
            if case .lines = answering {
                try StandardInputLines.read {
                    inputs.yield(.line($0))
                } onEnd: {
                    inputs.yield(.endOfInput(isGone: $0))
                }
            }
        } catch {
            inputs.yield(.failed(error))
        }
    }

    // MARK: - Answers

    /// What a responder answers without a line.
    func answer(_ assignment: Assignment) async -> Answer {
        if let error = assignment.option.error {
            return .failed(Failure(name: error))
        }
        guard case .command(let program, let guardian) = answering else {
            return assignment.ownAnswer
        }
        return await VisitCommand(program, guardian: guardian, endpoint: bus.endpoint)
            .answer(assignment)
    }

    /// Tells the bus how a visit ended.
    func finish(_ assignment: Assignment, _ answer: Answer) async {
        await bus.link.finished(
            assignment.invocation.token, assignment.result(of: answer),
            microseconds: (ContinuousClock.now - assignment.start).wholeMicroseconds)
    }
}

extension Assignment {
    /// Cut short only when the node has ended, and then nobody hears the answer.
    func waitBeforeVerdict() async {
        if let delay = option.delay {
            try? await Task.sleep(for: .milliseconds(Int(delay.milliseconds)))
        }
    }

    /// What it was told to reply, or else what it was asked with.
    private var reply: [UInt8] {
        option.reply.map { Array($0.text.utf8) } ?? Array(visit.payload)
    }

    /// What each kind answers where no program does.
    fileprivate var ownAnswer: Answer {
        switch option.role {
        case .replacement: .replaced(nil, nil)
        case .responder(let declaration):
            switch declaration.kind {
            case .receive, .receiveError: .notHandled
            default: .handled(reply: reply)
            }
        case .subscription: .handled(reply: [])
        }
    }
}
