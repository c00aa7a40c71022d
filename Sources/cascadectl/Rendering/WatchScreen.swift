// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a command shows that goes on: each answer in the place of the one before, and above it what
/// became of the connection to the bus.
final class WatchScreen: Sendable {
    private struct State {
        /// The answer that was shown last.
        var text: String?
        var notice: String?
    }

    private let output: OutputOptions
    private let state = Mutex(State())

    init(_ output: OutputOptions) {
        self.output = output
    }

    func show(_ document: some Document) {
        guard !output.json else {
            output.show(document)
            return
        }
        state.withLock { state in
            state.text = document.text(output.style)
            draw(state)
        }
    }

    /// A terminal keeps the notice above every later answer; elsewhere it is a line of its own.
    func showConnection(_ connection: ConnectionDocument) {
        guard !output.json, Output.isTerminal else {
            output.show(connection)
            return
        }
        state.withLock { state in
            state.notice = connection.text(output.style)
            draw(state)
        }
    }

    private func draw(_ state: State) {
        Output.clearTerminal()
        Output.line([state.notice, state.text].compactMap(\.self).joined(separator: "\n"))
    }
}
