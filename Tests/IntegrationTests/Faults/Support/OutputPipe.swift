// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The output of a process, read as it arrives.
final class OutputPipe {
    /// The end that the process writes to; closed here once the process has it.
    private(set) var writeEnd: Int32
    private let readEnd: Int32

    /// All bytes so far.
    private(set) var bytes: [UInt8] = []
    private var lineStart = 0
    private(set) var isAtEnd = false

    init() throws {
        let pipe = try InheritedPipe()
        (readEnd, writeEnd) = (pipe.readEnd, pipe.writeEnd)
    }

    deinit {
        closeWriteEnd()
        close(readEnd)
    }

    func closeWriteEnd() {
        if writeEnd >= 0 {
            close(writeEnd)
            writeEnd = -1
        }
    }

    var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for the next line that contains the words; `nil` if the output ends without one.
    func line(containing words: String) throws -> String? {
        while true {
            while let end = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[lineStart..<end], as: UTF8.self)
                lineStart = end + 1
                if line.contains(words) {
                    return line
                }
            }
            guard !isAtEnd else {
                return nil
            }
            try read(waitingFor: words)
        }
    }

    /// Waits for a line that contains the words, also among those that were returned before; `nil` if the
    /// output ends without one.
    func anyLine(containing words: String) throws -> String? {
        lineStart = 0
        return try line(containing: words)
    }

    /// Waits until so many lines contain the words, those included that were returned before, and returns
    /// them.
    func allLines(containing words: String, count: Int) throws -> [String] {
        lineStart = 0
        return try (0..<count).map { _ in
            try #require(try line(containing: words), "the output ends before: \(text)")
        }
    }

    /// Reads the available bytes without waiting.
    func readWhatIsThere() throws {
        while !isAtEnd, Patience.isReadable(readEnd, within: 0) {
            try read(waitingFor: "what is there")
        }
    }

    func readToEnd(within milliseconds: Int = Patience.milliseconds) throws {
        while !isAtEnd {
            try read(waitingFor: "the end", within: milliseconds)
        }
    }

    private func read(
        waitingFor what: String, within milliseconds: Int = Patience.milliseconds
    ) throws {
        try #require(
            Patience.isReadable(readEnd, within: milliseconds),
            "'\(what)' did not arrive after: \(text)")
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(readEnd, &buffer, buffer.count)
        if count > 0 {
            bytes += buffer.prefix(count)
        } else if count == 0 {
            isAtEnd = true
        } else {
            try #require(errno == EINTR)
        }
    }
}
