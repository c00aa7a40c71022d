// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failed system call, with the operation and the system's reason.
public struct SystemCallError: Error, CustomStringConvertible {
    public let description: String

    /// Creates the error from `errno`, so call it directly after the failed call.
    package init(_ operation: String) {
        description = "\(operation): \(String(cString: strerror(errno)))"
    }
}
