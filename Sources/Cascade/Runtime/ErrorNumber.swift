// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The number of an error of a system call, with the system's words for it.
package struct ErrorNumber: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) {
        self.code = code
    }

    package var description: String {
        String(cString: strerror(code))
    }
}
