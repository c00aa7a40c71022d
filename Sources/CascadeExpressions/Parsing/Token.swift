// SPDX-License-Identifier: Apache-2.0

/// A token of an expression, with its range of bytes in the text.
struct Token {
    enum Kind: Equatable {
        case name(String)
        case literal(Scalar)
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    let range: Range<Int>

    var symbol: Symbol? {
        if case .symbol(let symbol) = kind { symbol } else { nil }
    }
}
