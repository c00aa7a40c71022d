// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A text file to which several processes append whole lines.
package struct Ledger: Sendable {
    private let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Appends a line. Throws ``SystemCallError``.
    package func append(_ line: String) throws {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw SystemCallError("open \(path)")
        }
        defer { close(descriptor) }
        let bytes = Array("\(line)\n".utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemCallError("write \(path)")
        }
    }
}
