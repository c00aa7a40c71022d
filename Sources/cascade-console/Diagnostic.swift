// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A line for people on standard error.
enum Diagnostic {
    static func print(_ text: String) {
        let line = Array("cascade-console: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
