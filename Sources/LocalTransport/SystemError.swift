// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call that failed, and what it was for.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: Int32
    package let operation: String

    /// The error that `errno` holds now.
    init(_ operation: String) {
        code = errno
        self.operation = operation
    }

    package var description: String {
        "cannot \(operation): \(String(cString: strerror(code)))"
    }
}
