// SPDX-License-Identifier: Apache-2.0

/// A file cannot be read as text.
struct TextFileError: Error {
    let reason: String
}
