// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeTestSupport

/// The tests' own model of a predicate: another tree, another evaluation, another text.
indirect enum Formula {
    enum Side {
        case name(String)
        case value(Scalar)
    }

    case constant(Bool)
    case name(String)
    case comparison(Side, String, Side)
    case not(Formula)
    case and(Formula, Formula)
    case or(Formula, Formula)

    static let names = ["a", "b", "_c", "node.path", "x-y:z", "missing"]
    static let relations = ["==", "!=", "<", "<=", ">", ">="]
    static let scalars: [Scalar] = [
        .null, .boolean(true), .boolean(false), .number(Number(0)), .number(Number(1)),
        .number(Number(-7)), .number(Number(Int64.max)), .number(Number(Int64.max - 1)),
        Number(0.5).map(Scalar.number) ?? .null, Number(1e300).map(Scalar.number) ?? .null,
        .string(""), .string("high"), .string("hi\"\\\n\u{202E}gh"), .string("é"),
        .string("e\u{301}"), .string("\u{1F600}"), .string("=> ; # && ("),
    ]

    static func random(depth: Int, using generator: inout SeededGenerator) -> Formula {
        switch Int.random(in: 0..<(depth == 0 ? 4 : 10), using: &generator) {
        case 0: .constant(Bool.random(using: &generator))
        case 1: .name(anyName(using: &generator))
        case 2, 3:
            .comparison(
                anySide(using: &generator),
                relations.randomElement(using: &generator) ?? "==",
                anySide(using: &generator))
        case 4, 5: .not(random(depth: depth - 1, using: &generator))
        case 6, 7:
            .and(
                random(depth: depth - 1, using: &generator),
                random(depth: depth - 1, using: &generator))
        default:
            .or(
                random(depth: depth - 1, using: &generator),
                random(depth: depth - 1, using: &generator))
        }
    }

    static func anyName(using generator: inout SeededGenerator) -> String {
        names.randomElement(using: &generator) ?? "a"
    }

    static func anySide(using generator: inout SeededGenerator) -> Side {
        if Bool.random(using: &generator) {
            .name(anyName(using: &generator))
        } else {
            .value(scalars.randomElement(using: &generator) ?? .null)
        }
    }
}

// MARK: - Text

extension Formula {
    /// The text with parentheses around everything and random white space.
    func text(using generator: inout SeededGenerator) -> String {
        let space = ["", " ", "\t ", "\n"].randomElement(using: &generator) ?? ""
        switch self {
        case .constant(let constant):
            return "\(constant)"
        case .name(let name):
            return "(\(name)\(space))"
        case .comparison(let left, let relation, let right):
            return "(\(left.text)\(space)\(relation)\(space)\(right.text))"
        case .not(let formula):
            return "!\(space)(" + formula.text(using: &generator) + ")"
        case .and(let left, let right):
            let left = left.text(using: &generator)
            return "(\(left)\(space)&&\(space)\(right.text(using: &generator)))"
        case .or(let left, let right):
            let left = left.text(using: &generator)
            return "(\(left)\(space)||\(space)\(right.text(using: &generator)))"
        }
    }
}

extension Formula.Side {
    /// The text, with every scalar of strings escaped.
    var text: String {
        switch self {
        case .name(let name):
            return name
        case .value(.string(let string)):
            let units = string.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            return "\"" + units.joined() + "\""
        case .value(let scalar):
            return scalar.description
        }
    }

    func value(_ values: [String: Scalar]) -> Scalar? {
        switch self {
        case .name(let name): values[name]
        case .value(let scalar): scalar
        }
    }
}

// MARK: - Evaluation

extension Formula {
    func holds(_ values: [String: Scalar]) -> Bool {
        switch self {
        case .constant(let constant): constant
        case .name(let name): values[name] == .boolean(true)
        case .comparison(let left, let relation, let right):
            Self.compare(left.value(values), relation, right.value(values))
        case .not(let formula): !formula.holds(values)
        case .and(let left, let right): left.holds(values) && right.holds(values)
        case .or(let left, let right): left.holds(values) || right.holds(values)
        }
    }

    var complexity: Int {
        switch self {
        case .constant: 0
        case .name, .comparison, .not: 1
        case .and(let left, let right), .or(let left, let right):
            left.complexity + right.complexity
        }
    }

    private static func compare(_ left: Scalar?, _ relation: String, _ right: Scalar?) -> Bool {
        switch (left, right) {
        case (.null, .null):
            return relation == "=="
        case (.boolean(let left), .boolean(let right)):
            return relation == (left == right ? "==" : "!=")
        case (.number(let left), .number(let right)):
            return allows(relation, less: left < right, greater: left > right)
        case (.string(let left), .string(let right)):
            let left = left.unicodeScalars.map(\.value)
            let right = right.unicodeScalars.map(\.value)
            let less = left.lexicographicallyPrecedes(right)
            return allows(relation, less: less, greater: right.lexicographicallyPrecedes(left))
        default:
            return false
        }
    }

    private static func allows(_ relation: String, less: Bool, greater: Bool) -> Bool {
        switch relation {
        case "==": !less && !greater
        case "!=": less || greater
        case "<": less
        case "<=": !greater
        case ">": greater
        default: !less
        }
    }
}
