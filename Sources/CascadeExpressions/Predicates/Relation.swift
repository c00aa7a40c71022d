// SPDX-License-Identifier: Apache-2.0

/// The relation of a comparison.
enum Relation: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="

    /// Returns whether the relation holds. False for operands of different types, and for an order
    /// that the type does not have.
    func holds(_ left: Scalar, _ right: Scalar) -> Bool {
        switch self {
        case .equal: left == right
        case .unequal: left.isComparable(to: right) && left != right
        case .less: left.isLess(than: right) ?? false
        case .atMost: right.isLess(than: left).map(!) ?? false
        case .greater: right.isLess(than: left) ?? false
        case .atLeast: left.isLess(than: right).map(!) ?? false
        }
    }
}
