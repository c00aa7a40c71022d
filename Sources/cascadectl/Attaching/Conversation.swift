// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import CascadeWire
import Glibc
import ZeroMQ

/// The work of `attach`: one node that prints its visits and answers them.
///
/// Inputs from the bus, the program behind the node and the system are processed one at a time.
struct Conversation: Sendable {
    /// The source of the answers to visits.
    enum Answering: Sendable {
        /// The default answer of each responder's kind.
        case byDefault
        /// A program that is run for each visit.
        case command(ProgramFile, CommandGuard)
        /// The program behind the node, which writes a line for each answer.
        case lines
    }

    let bus: Bus
    let declaration: NodeDeclaration
    let responders: [ResponderOption]
    let subscriptions: [ResponderOption]
    let answering: Answering
    /// The occasions on which the node triggers events by itself.
    let occasions: [Occasion]
    let readiness = ServiceReadiness()

    /// Attaches the node and serves until a signal or the end of the input asks it to leave. Throws
    /// the error that ends the node otherwise.
    func run() async throws {
        // Writing to a command that has closed its input must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let (inputs, continuation) = AsyncStream.makeStream(of: ConversationInput.self)
        try LeaveSignals.read(also: occasions.compactMap(\.signalNumber)) { number in
            let lines = occasions.compactMap { $0.trigger(forSignal: number) }
            for line in lines {
                continuation.yield(.line(line))
            }
            if lines.isEmpty {
                continuation.yield(.signalled)
            }
        }
        let result = await withDiscardingTaskGroup { group -> Result<Void, any Error> in
            let state = ConversationState(self, inputs: continuation)
            group.addTask { await forwardEvents(to: continuation) }
            group.addTask { await attach(continuation) }
            group.addTask { await readiness.sendWatchdog(by: bus.link) }
            group.addTask {
                await state.queue.run(bus.link) { continuation.yield(.entryEnded($0)) }
            }
            let result = await state.run(inputs, &group)
            // Tasks that wait for the bus end when the session closes.
            await bus.close()
            group.cancelAll()
            return result
        }
        try result.get()
    }

    private func forwardEvents(
        to inputs: AsyncStream<ConversationInput>.Continuation
    ) async {
        for await event in bus.link.work {
            inputs.yield(.link(event))
        }
    }

    private func attach(_ inputs: AsyncStream<ConversationInput>.Continuation) async {
        do {
            try await bus.link.attach([declaration], names: [])
            inputs.yield(.attached)
            if let line = lineReader {
                try StandardInputLines.read {
                    inputs.yield(.line(line($0)))
                } onEnd: {
                    inputs.yield(.endOfInput(hasExited: $0))
                }
            }
            await withDiscardingTaskGroup { group in
                for occasion in occasions {
                    group.addTask {
                        await occasion.occur { inputs.yield(.line($0)) }
                    }
                }
            }
        } catch {
            inputs.yield(.failed(error))
        }
    }

    /// Returns the function from a line of standard input to a line for the conversation; `nil` if
    /// standard input is not read.
    private var lineReader: (@Sendable (String) -> String)? {
        if case .lines = answering {
            return { $0 }
        }
        for case .line(let name) in occasions {
            return { Occasion.trigger(name, .string($0)) }
        }
        return nil
    }

    // MARK: - Answers

    /// Returns the answer of a responder that the program behind the node does not answer.
    func answer(_ pending: PendingVisit) async -> Answer {
        if let error = pending.option.error {
            return .failed(Failure(name: error))
        }
        guard case .command(let program, let commandGuard) = answering else {
            return pending.defaultAnswer
        }
        return await VisitCommand(program, commandGuard: commandGuard, endpoint: bus.endpoint)
            .answer(pending)
    }

    /// Sends the result of a visit to the bus.
    func finish(_ pending: PendingVisit, _ answer: Answer) async {
        await bus.link.finished(
            pending.invocation.token, pending.result(of: answer),
            microseconds: (ContinuousClock.now - pending.start).wireMicroseconds)
    }
}

extension PendingVisit {
    /// Waits for the responder's delay, if it has one. A cancelled task does not wait.
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
    fileprivate var defaultAnswer: Answer {
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

// MARK: - Inputs

/// An input of a ``Conversation``.
enum ConversationInput: Sendable {
    // From the bus.
    case link(LinkEvent)
    case attached
    /// The bus has taken the node out of the tree as requested.
    case left
    case failed(any Error)

    // From the program behind the node.
    case line(String)
    /// The end of the input; `hasExited` tells whether the program has exited.
    case endOfInput(hasExited: Bool)

    // From the system.
    case signalled
    /// The time limit for leaving has passed.
    case leaveTimedOut

    // From tasks of the conversation.
    /// The answer to a visit is known and about to be sent.
    case answered(InvocationToken)
    /// A message or assignment of the queue has ended; the line to print, if there is one.
    case entryEnded(JSONValue?)
}

// MARK: - Standard input

/// The lines of standard input, read on a thread of their own because reads block.
enum StandardInputLines {
    /// The time, in milliseconds, within which the kernel closes both pipes of an exited program.
    private static let closingMilliseconds: Int32 = 250

    /// Calls `onLine` with each line, without its line feed, and then `onEnd` with whether the
    /// program that writes them has exited.
    static func read(
        onLine: @escaping @Sendable (String) -> Void,
        onEnd: @escaping @Sendable (_ hasExited: Bool) -> Void
    ) throws {
        try OwnThread.detached {
            var lines = LineSplitter()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR {
                    continue
                }
                guard count > 0 else {
                    break
                }
                lines.append(buffer[..<count])
                while let line = lines.next() {
                    onLine(line)
                }
            }
            if let line = lines.rest() {
                onLine(line)
            }
            onEnd(hasReaderExited())
        }
    }

    /// Returns whether the reader of standard output has exited; `false` for a file or a terminal.
    ///
    /// A program that wants its node to leave closes one pipe and reads the other to its end. The
    /// kernel closes both pipes of an exited program, one right after the other.
    private static func hasReaderExited() -> Bool {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0 else {
            return false
        }
        let kind = status.st_mode & S_IFMT
        let isPipe = kind == S_IFIFO || kind == S_IFSOCK
        // poll(2) reports errors and hang-ups without a request.
        var item = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&item, 1, isPipe ? closingMilliseconds : 0) < 0, errno == EINTR {}
        return item.revents & Int16(POLLERR | POLLHUP) != 0
    }
}
