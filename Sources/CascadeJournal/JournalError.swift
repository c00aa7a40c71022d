// SPDX-License-Identifier: Apache-2.0

/// Why the journal cannot be read or written.
package struct JournalError: Error, Equatable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String
    /// Whether the disk, or what the daemon's user may have of it, is full.
    package let isDiskFull: Bool

    /// Nothing more can be numbered.
    package static let outOfNumbers = JournalError("the journal's numbers are used up")

    package init(_ description: String, isDiskFull: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
    }
}
