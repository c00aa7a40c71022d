// SPDX-License-Identifier: Apache-2.0

/// Why the journal cannot be read or written.
package struct JournalError: Error, Equatable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
