// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeWire
import Glibc
import Synchronization

/// The output of text without buffering: data to standard output, diagnostics to standard error.
///
/// A command whose standard output cannot be written, such as a file on a full disk, ends with an
/// error. A worker continues, because its visits still need answers.
enum Output {
    /// Whether the process continues if its standard output cannot be written.
    private static let continuesOnFailure = Atomic(false)
    /// Whether an error of standard output has been reported.
    private static let hasFailed = Atomic(false)

    static func continueOnFailure() {
        continuesOnFailure.store(true, ordering: .relaxed)
    }

    static func line(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Prints a payload alone: JSON on one line, other bytes unchanged. Control characters are
    /// escaped on a terminal.
    static func payload(_ bytes: [UInt8], contentType: String?) {
        let isShown = contentType == nil || isatty(STDOUT_FILENO) == 1
        guard !bytes.isEmpty else {
            return
        }
        if isShown {
            line(shown(bytes[...], contentType: contentType))
        } else {
            write(bytes[...], to: STDOUT_FILENO)
        }
    }

    /// Returns a payload as text for people: JSON on one line, other bytes as escaped UTF-8.
    static func shown(_ bytes: ArraySlice<UInt8>, contentType: String?) -> String {
        JSONValue.json(bytes, contentType)?.text
            ?? String(decoding: bytes, as: UTF8.self).safeForTerminal
    }

    static func diagnostic(_ text: String) {
        write("cascadectl: \(text)\n", to: STDERR_FILENO)
    }

    /// Prints a question, without a line feed.
    static func question(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// Prints one line of a diagnostic of several lines.
    static func explanation(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Forwards the diagnostics of another program.
    static func forwardDiagnostics(_ bytes: [UInt8]) {
        write(bytes[...], to: STDERR_FILENO)
    }

    static var isTerminal: Bool {
        isatty(STDOUT_FILENO) == 1
    }

    /// Prints a text on a terminal in place of the previous one, cut to the terminal's size. Prints
    /// it as lines if standard output is not a terminal.
    static func replaceScreen(_ text: String) {
        if let size = Terminal.size {
            write(Terminal.screen(text, size), to: STDOUT_FILENO)
        } else {
            line(text)
        }
    }

    /// Reports an error of standard output once, except that its reader has ended, and ends the process
    /// unless it continues.
    private static func fail(_ code: Int32) {
        if code != EPIPE, !hasFailed.exchange(true, ordering: .relaxed) {
            diagnostic("cannot write to standard output: \(ErrorNumber(code))")
        }
        if !continuesOnFailure.load(ordering: .relaxed) {
            exit(ExitStatus.failure.rawValue)
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8)[...], to: descriptor)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var bytes = bytes
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                if descriptor == STDOUT_FILENO {
                    fail(errno)
                }
                return
            }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}

// MARK: - Repeated answers

/// The screen of a command that runs until interrupted: each answer replaces the previous one, below
/// a notice about the connection. On a terminal the key `q` ends the command.
final class WatchScreen: Sendable {
    private struct State {
        /// The latest answer.
        var text: String?
        /// The latest change of the connection.
        var notice: String?
    }

    private let output: OutputOptions
    private let state = Mutex(State())

    init(_ output: OutputOptions) throws {
        self.output = output
        if !output.json, Output.isTerminal {
            try QuitKey.watch()
        }
    }

    /// Shows an answer; JSON as a separate line.
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
        Output.replaceScreen([state.notice, state.text].compactMap(\.self).joined(separator: "\n"))
    }
}
