// SPDX-License-Identifier: Apache-2.0

/// A finding of the doctor.
struct Diagnosis: Sendable, Equatable {
    enum State: String, Sendable {
        case good = "ok"
        /// Works now, but may fail under some conditions.
        case doubtful = "warning"
        case bad = "problem"
        /// Could not be determined.
        case unknown
    }

    let name: String
    let state: State
    /// The observation and, unless it is good, the remedy.
    let message: String

    init(_ name: String, _ state: State, _ message: String) {
        self.name = name
        self.state = state
        self.message = message
    }
}
