// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Glibc

/// The output of text: data to standard output, diagnostics to standard error, without buffering.
enum Output {
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

    /// Returns a payload as text for people.
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

    /// Prints a line of an explanation of several lines.
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

    /// Clears the terminal before an updated answer.
    static func clearTerminal() {
        if isTerminal {
            write("\u{1B}[H\u{1B}[2J", to: STDOUT_FILENO)
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
                return
            }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}
