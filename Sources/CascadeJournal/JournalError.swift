// SPDX-License-Identifier: Apache-2.0

/// The reason why the journal cannot be read or written.
package struct JournalError: Error, Equatable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String
    /// Whether the disk or the quota of the daemon's user is full.
    package let isDiskFull: Bool

    /// All frame or file numbers are used.
    package static let outOfNumbers = JournalError("the journal's numbers are used up")

    package init(_ description: String, isDiskFull: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
    }
}
