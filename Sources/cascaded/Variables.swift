// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The environment of the process.
enum Variables {
    /// Every variable; of duplicates the first, as getenv(3) returns it.
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            next += 1
        }
        return variables
    }
}
