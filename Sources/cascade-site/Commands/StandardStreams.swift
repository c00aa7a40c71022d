// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The output of a command, without a buffer, so that it is complete when the process ends at once.
enum StandardOutput {
    /// Writes a line. Errors are ignored.
    static func write(_ line: String) {
        try? writeAll(line + "\n")
    }

    /// Writes a text. Throws ``Stop`` if not all of it can be written.
    static func writeAll(_ text: String) throws(Stop) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else {
                throw Stop.file("standard output", "write", errno)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// Messages for the user of a command.
enum StandardError {
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
