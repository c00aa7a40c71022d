// SPDX-License-Identifier: Apache-2.0

/// The reason why a file cannot be read as text.
struct TextFileError: Error {
    let reason: String
}
