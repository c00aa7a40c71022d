// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import Glibc

/// A node of the command line. Inputs from the bus, the program and the system are processed one at
/// a time; the results are printed, answered or raised.
struct Conversation: Sendable {
    /// The source of the answers to visits.
    enum Answering: Sendable {
        /// The default answer of each kind of responder.
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

    /// Attaches the node and serves until a signal or the end of the input asks it to leave. Throws
    /// the error that ends the node otherwise.
    func run() async throws {
        // A command that closes its input early must not end this process.
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
            // Tasks that still wait for the bus end with it.
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

    /// Returns the answer of a responder that does not answer by lines.
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

    /// Sends the result of a visit to the bus.
    func finish(_ assignment: Assignment, _ answer: Answer) async {
        await bus.link.finished(
            assignment.invocation.token, assignment.result(of: answer),
            microseconds: (ContinuousClock.now - assignment.start).wholeMicroseconds)
    }
}

extension Assignment {
    /// Waits for the responder's delay. The wait ends early only when the node has ended.
    func waitBeforeVerdict() async {
        if let delay = option.delay {
            try? await Task.sleep(for: .milliseconds(Int(delay.milliseconds)))
        }
    }

    /// The reply: the option's, or the visit's own payload.
    private var reply: [UInt8] {
        option.reply.map { Array($0.text.utf8) } ?? Array(visit.payload)
    }

    /// The default answer of the responder's kind.
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
