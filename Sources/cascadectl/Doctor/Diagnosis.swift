// SPDX-License-Identifier: Apache-2.0

/// What was found about one thing.
struct Diagnosis: Sendable, Equatable {
    enum State: String, Sendable {
        case good = "ok"
        /// It works, and will not under some conditions.
        case doubtful = "warning"
        case bad = "problem"
        /// It could not be looked at.
        case unknown
    }

    let name: String
    let state: State
    /// What was seen and, where it is not good, what to do.
    let message: String

    init(_ name: String, _ state: State, _ message: String) {
        self.name = name
        self.state = state
        self.message = message
    }
}
