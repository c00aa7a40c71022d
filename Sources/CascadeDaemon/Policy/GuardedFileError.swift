// SPDX-License-Identifier: Apache-2.0

/// A guarded file that cannot be read, or that other users may have changed.
struct GuardedFileError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) {
        description = "\(path): \(reason)"
    }
}
