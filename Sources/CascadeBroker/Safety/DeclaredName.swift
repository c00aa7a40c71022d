// SPDX-License-Identifier: Apache-2.0

/// A name in one of the two lists: errors and events may have the same.
struct DeclaredName: Hashable, Sendable {
    var list: DeclaredList
    /// The number of the name.
    var name: NameIndex
}
