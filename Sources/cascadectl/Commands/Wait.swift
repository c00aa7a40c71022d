// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import Synchronization

/// Waits for a state of a node.
struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until a node is live, inactive, vacant or gone.",
        discussion: """
            'vacant' waits until no session holds the place. A place whose process was lost is \
            kept for a grace time, and while there are nodes below it; 'gone' waits for the end of \
            the place itself. A restarted daemon waits for its previous nodes ('reattach' in its \
            configuration); until then a missing place counts as neither vacant nor gone.

            Example: cascadectl wait /kitchen --state live --timeout 10s
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Option(help: "State to wait for.")
    var state = WaitedState.live

    @Option(
        help: ArgumentHelp(
            "Time limit, as in 10s; 0s looks once. Otherwise there is none.", valueName: "time"),
        transform: TimeSpan.argument)
    var timeout: TimeSpan?

    func validate() throws {
        guard path.depth <= NodePath.depthMax else {
            throw ValidationError(
                "the path is \(path.depth) components deep, and no node is deeper than "
                    + "\(NodePath.depthMax)")
        }
    }

    func run() async throws {
        let isReached =
            timeout?.milliseconds == 0
            ? try await bus.withBus { try await hasState($0) }
            : try await bus.withBus(
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

    /// Returns whether the node has the state now. A missing node of a restarted daemon may return.
    private func hasState(_ bus: Bus) async throws -> Bool {
        let found = try await Self.state(.tree(path: path, depth: 0), on: bus)
        let mayReturn = found == nil && ReattachWindow(bus.welcome).timeLeft != nil
        return state.isReached(by: found) && !mayReturn
    }

    /// Returns `true` once the node has the state; `false` if the session ends before.
    private func waitForState(_ bus: Bus) async throws -> Bool {
        let subject = Query.Subject.tree(path: path, depth: 0)
        let window = ReattachWindow(bus.welcome)
        await bus.link.observeConnection { window.changed($0) }
        let (occasions, continuation) = AsyncStream.makeStream(of: Occasion.self)
        let answers = try await bus.link.watch(subject)
        let reading = Task {
            for await message in answers {
                continuation.yield(.answer(message))
            }
            continuation.finish()
        }
        defer { reading.cancel() }
        for await occasion in occasions {
            let found: NodeState?
            switch occasion {
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

    /// A reason to check the state.
    private enum Occasion {
        /// An answer to the query for the node.
        case answer([UInt8])
        /// The end of the reattach window: a missing node is gone now.
        case windowEnded
    }

    /// Asks the bus for the state of the node; `nil` if it does not exist.
    private static func state(
        _ subject: Query.Subject, on bus: Bus
    ) async throws -> NodeState? {
        do {
            return try state(in: await bus.link.query(subject))
        } catch let error as CascadeError where error.reason == .noSuchNode {
            return nil
        }
    }

    /// Returns the state of the node in an answer; `nil` if it does not exist. Throws
    /// `CascadeError` for any other refusal.
    private static func state(in message: [UInt8]) throws -> NodeState? {
        do {
            return try TreeAnswer(parsing: Link.answer(message)).nodes.first?.state
        } catch let error as CascadeError where error.reason == .noSuchNode {
            return nil
        }
    }
}

/// The states for which `wait` waits.
enum WaitedState: String, ExpressibleByArgument, CaseIterable {
    case live
    /// No session holds the place, or the place has ended.
    case vacant
    /// The place has ended: its grace time is over, and there are no nodes below it.
    case gone
    case inactive

    /// - Parameter state: The node's state; `nil` if there is no node.
    func isReached(by state: NodeState?) -> Bool {
        switch self {
        case .live: state == .live
        case .inactive: state == .inactive
        case .vacant: state == nil || state == .vacant
        case .gone: state == nil
        }
    }
}

/// The state that a node has reached.
struct WaitDocument: Document {
    let path: NodePath
    let state: WaitedState

    var json: JSONValue {
        .document("wait", ["path": .text(path), "state": .string(state.rawValue)])
    }

    func text(_ style: Style) -> String {
        "\(path) is \(state.rawValue)"
    }
}

// MARK: - Restarts of the daemon

/// The time for which a restarted daemon waits for its previous nodes to reattach. Until its end, a
/// missing node does not count as gone.
final class ReattachWindow: Sendable {
    private let end: Mutex<ContinuousClock.Instant>

    init(_ welcome: Welcome) {
        end = Mutex(Self.end(welcome))
    }

    /// Begins a new window after a reconnect.
    func changed(_ connection: LinkConnection) {
        if case .welcomed(let welcome) = connection {
            end.withLock { $0 = Self.end(welcome) }
        }
    }

    /// The time until the end of the window; `nil` after it.
    var timeLeft: Duration? {
        let left = end.withLock { $0 - .now }
        return left > .zero ? left : nil
    }

    private static func end(_ welcome: Welcome) -> ContinuousClock.Instant {
        .now + .milliseconds(Int(welcome.reattachMilliseconds))
    }
}
