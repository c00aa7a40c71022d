// SPDX-License-Identifier: Apache-2.0

/// An operand of a comparison.
enum Operand: Hashable, Sendable, CustomStringConvertible {
    case name(String)
    case literal(Scalar)

    func scalar(_ value: (String) -> Scalar?) -> Scalar? {
        switch self {
        case .name(let name): value(name)
        case .literal(let scalar): scalar
        }
    }

    var name: String? {
        if case .name(let name) = self { name } else { nil }
    }

    var description: String {
        switch self {
        case .name(let name): name
        case .literal(let scalar): scalar.description
        }
    }
}
