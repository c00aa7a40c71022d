// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Waits until a node is there, or gone.
struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until a node is there, inactive, vacant, or gone.",
        discussion: """
            'vacant' waits until no process holds the place any more. A place whose process was \
            lost is kept for a grace time, and for as long as nodes stand below it: 'gone' waits \
            for the end of the place itself.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Option(help: "What to wait for.")
    var state = WaitedState.live

    @Option(help: ArgumentHelp("How long to wait; for ever unless given.", valueName: "time"))
    var timeout: TimeSpan?

    func run() async throws {
        let isReached = try await bus.withBus(
            limit: timeout ?? TimeSpan(milliseconds: .max), isFinal: true
        ) { bus in
            for await message in try await bus.link.watch(.tree(path: path, depth: 0))
            where state.isReached(by: try Self.state(in: message)) {
                return true
            }
            return false
        }
        guard isReached else {
            let time = timeout.map { " within \($0)" } ?? ""
            throw Stop(.tryAgain, "\(path) has not become \(state.rawValue)\(time)")
        }
        output.show(WaitDocument(path: path, state: state))
    }

    /// Throws `CascadeError` for a refusal other than that there is no such node.
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
