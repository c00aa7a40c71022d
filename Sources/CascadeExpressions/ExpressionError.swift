// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// An error in an expression, with its position. Its message quotes the faulty text, escaped.
package struct ExpressionError: Error, Equatable {
    /// The line, counted from 1.
    package let line: Int

    /// The column in characters, counted from 1. A missing part at the end has the column after the
    /// last character.
    package let column: Int

    /// The message for a person.
    package let message: String

    init(_ message: String, at offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<offset]
        let newline = UInt8(ascii: "\n")
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        line = before.count { $0 == newline } + 1
        column = Self.column(of: offset, from: start, in: bytes)
        self.message = message
    }

    /// Creates the error of the first byte that is not UTF-8; `nil` if there is none.
    package init?(notUTF8 bytes: [UInt8]) {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            offset += UTF8.width(scalar)
        }
        guard offset < bytes.count else {
            return nil
        }
        self.init("this byte is not UTF-8", at: offset, in: bytes)
    }

    /// Returns the column of a byte, counted from 1, in the line that begins at `start`.
    static func column(of offset: Int, from start: Int, in bytes: [UInt8]) -> Int {
        String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
    }
}

extension ExpressionError: CustomStringConvertible {
    package var description: String {
        "\(line):\(column): \(message)"
    }
}

/// The quotation of untrusted text in a message for a person.
enum Quotation {
    /// Returns at most 32 characters of a text. All characters but printable ASCII are escaped.
    static func shown(_ text: some Sequence<Unicode.Scalar>) -> String {
        var shown = ""
        var count = 0
        for scalar in text {
            guard count < 32 else {
                return shown + "…"
            }
            if scalar.isASCII, !scalar.controlsTerminal {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
            count += 1
        }
        return shown
    }
}
