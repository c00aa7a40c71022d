// SPDX-License-Identifier: Apache-2.0

/// Says why a name or a path was refused; the offence is quoted, escaped.
///
/// The rule: a name or path component matches `[A-Za-z0-9_][A-Za-z0-9_.:-]*` and has at most
/// ``NameRule/byteCountMax`` bytes.
package struct NameError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, as one sentence for a person.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
