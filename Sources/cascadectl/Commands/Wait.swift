// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Waits for a state of a node.
struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until a node is live, inactive, vacant or gone.",
        discussion: """
            'vacant' waits until no session holds the place. A place whose process was lost is \
            kept for a grace time, and while there are nodes below it; 'gone' waits for the end of \
            the place itself. A restarted daemon waits for its previous nodes ('reattach' in its \
            configuration); until then a missing place counts as neither vacant nor gone.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Option(help: "State to wait for.")
    var state = WaitedState.live

    @Option(help: ArgumentHelp("Time limit; otherwise none.", valueName: "time"))
    var timeout: TimeSpan?

    func run() async throws {
        let isReached = try await bus.withBus(
            limit: timeout ?? TimeSpan(milliseconds: .max), isFinal: true
        ) { bus in
            try await waitForState(bus)
        }
        guard isReached else {
            let time = timeout.map { " within \($0)" } ?? ""
            throw Stop(.tryAgain, "\(path) has not become \(state.rawValue)\(time)")
        }
        output.show(WaitDocument(path: path, state: state))
    }

    /// Returns whether the state was reached before the session ended.
    private func waitForState(_ bus: Bus) async throws -> Bool {
        let subject = Query.Subject.tree(path: path, depth: 0)
        let window = ReattachWindow(bus.welcome)
        await bus.link.observeConnection { window.changed($0) }
        let (looks, continuation) = AsyncStream.makeStream(of: Look.self)
        let answers = try await bus.link.watch(subject)
        let reading = Task {
            for await message in answers {
                continuation.yield(.answer(message))
            }
            continuation.finish()
        }
        defer { reading.cancel() }
        for await look in looks {
            let found: NodeState?
            switch look {
            case .answer(let message): found = try Self.state(in: message)
            case .windowEnded: found = try await Self.state(subject, on: bus)
            }
            guard state.isReached(by: found) else {
                continue
            }
            guard found == nil, let timeLeft = window.timeLeft else {
                return true
            }
            Task {
                try? await Task.sleep(for: timeLeft)
                continuation.yield(.windowEnded)
            }
        }
        return false
    }

    /// An event after which the state is checked.
    private enum Look {
        case answer([UInt8])
        /// The daemon no longer waits for nodes to reattach, so a missing node is gone.
        case windowEnded
    }

    private static func state(
        _ subject: Query.Subject, on bus: Bus
    ) async throws -> NodeState? {
        do {
            return try state(in: await bus.link.query(subject))
        } catch let error as CascadeError where error.reason == .noSuchNode {
            return nil
        }
    }

    /// Returns the state of the node; `nil` if it does not exist. Throws `CascadeError` for any
    /// other refusal.
    private static func state(in message: [UInt8]) throws -> NodeState? {
        guard try Header(parsing: message).command == .refused else {
            return try TreeAnswer(parsing: message).nodes.first?.state
        }
        let refused = try Refused(parsing: message)
        guard refused.code == .noSuchNode else {
            throw CascadeError(.refused, refused.sentence, reason: refused.code)
        }
        return nil
    }
}
