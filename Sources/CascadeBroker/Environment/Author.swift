// SPDX-License-Identifier: Apache-2.0

/// Who has set a value, or declared rules.
struct Author: Equatable, Sendable, CustomStringConvertible {
    let processID: UInt32
    let userID: UInt32

    init(processID: UInt32, userID: UInt32) {
        self.processID = processID
        self.userID = userID
    }

    init(_ credentials: Credentials) {
        processID = credentials.processID
        userID = credentials.userID
    }

    var description: String {
        "process \(processID) of user \(userID)"
    }
}
