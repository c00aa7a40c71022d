// SPDX-License-Identifier: Apache-2.0

/// A file that decides who may do what cannot be read, or must not be believed.
struct GuardedFileError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) {
        description = "\(path): \(reason)"
    }
}
