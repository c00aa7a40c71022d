// SPDX-License-Identifier: Apache-2.0

/// A number that a table gives out and that is no slab's: of one table, not of another.
struct TableIndex<Table>: Hashable, Sendable {
    /// The number itself, as messages have it.
    let number: UInt32

    init(_ number: UInt32) {
        self.number = number
    }

    /// Where arrays have what belongs to it.
    var slot: Int {
        Int(number)
    }
}

extension TableIndex: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        left.number < right.number
    }
}

typealias NameIndex = TableIndex<NameTable>
typealias KeyIndex = TableIndex<KeyTable>
typealias AccountIndex = TableIndex<AccountTable>

extension TableIndex<NameTable> {
    /// Stands for a name without a number. Only responders to every name match it.
    static var none: Self {
        Self(0)
    }
}
