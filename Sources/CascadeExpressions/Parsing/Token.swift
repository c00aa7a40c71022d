// SPDX-License-Identifier: Apache-2.0

/// A piece of an expression, and the bytes of the text it stands in.
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
