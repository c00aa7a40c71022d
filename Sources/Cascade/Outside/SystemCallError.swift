// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the operating system would not do, and why.
public struct SystemCallError: Error, CustomStringConvertible {
    public let description: String

    /// To be made at once behind the call that failed: it reads `errno`.
    package init(_ operation: String) {
        description = "\(operation): \(String(cString: strerror(errno)))"
    }
}
