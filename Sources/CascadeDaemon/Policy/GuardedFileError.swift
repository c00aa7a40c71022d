// SPDX-License-Identifier: Apache-2.0

/// A guarded file that cannot be read, or that other users may have changed.
struct GuardedFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    var description: String {
        "\(path): \(reason)"
    }
}
