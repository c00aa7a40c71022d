// SPDX-License-Identifier: Apache-2.0

/// One place where the tree breaks a rule.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    let path: String

    /// The line, unless the finding is about the file as a whole.
    let line: Int?

    let message: String

    init(_ path: String, line: Int? = nil, _ message: String) {
        self.path = path
        self.line = line
        self.message = message
    }

    var description: String {
        line.map { "\(path):\($0): \(message)" } ?? "\(path): \(message)"
    }
}
