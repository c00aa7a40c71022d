// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The screen of a command that goes on: each answer replaces the previous one, with a notice about
/// the connection above it.
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

    /// Shows a change of the connection. On a terminal it stays above all later answers; elsewhere
    /// it is a separate line.
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
