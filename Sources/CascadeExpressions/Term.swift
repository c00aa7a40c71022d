// SPDX-License-Identifier: Apache-2.0

/// The tree of a predicate.
///
/// Adjacent operands of `&&` or `||` form one term, so ``Predicate/depthMax`` bounds the depth of
/// the tree, and the recursion over it, for any length of the predicate.
enum Term: Hashable, Sendable {
    case constant(Bool)

    /// A name alone: true if its value is the boolean true.
    case flag(String)
    case comparison(Operand, Relation, Operand)
    case match(Operand, Glob)
    indirect case not(Term)

    /// Two or more terms, none of them `all`.
    case all([Term])

    /// Two or more terms, none of them `any`.
    case any([Term])

    /// Returns the conjunction or disjunction of one or more terms.
    static func joined(_ terms: [Term], by symbol: Symbol) -> Term {
        guard terms.count > 1 else {
            return terms[0]
        }
        let parts = terms.flatMap { term -> [Term] in
            switch (term, symbol) {
            case (.all(let inner), .and), (.any(let inner), .or): inner
            default: [term]
            }
        }
        return symbol == .and ? .all(parts) : .any(parts)
    }

    /// The steps of each term, in addition to those for the bytes of its strings.
    private static let stepsPerTerm = 32

    func evaluate(_ steps: inout Int, _ value: (String) -> Scalar?) -> Bool {
        steps += Self.stepsPerTerm
        switch self {
        case .constant(let constant):
            return constant
        case .flag(let name):
            return value(name) == .boolean(true)
        case .comparison(let left, let relation, let right):
            guard let left = left.scalar(value), let right = right.scalar(value) else {
                return false
            }
            steps += min(left.byteCount, right.byteCount)
            return relation.holds(left, right)
        case .match(let operand, let glob):
            guard case .string(let text) = operand.scalar(value) else {
                return false
            }
            steps += glob.stepCount(over: text)
            return glob.matches(text)
        case .not(let term):
            return !term.evaluate(&steps, value)
        case .all(let terms):
            return terms.allSatisfy { $0.evaluate(&steps, value) }
        case .any(let terms):
            return terms.contains { $0.evaluate(&steps, value) }
        }
    }

    var complexity: Int {
        switch self {
        case .constant: 0
        case .flag, .comparison, .match, .not: 1
        case .all(let terms), .any(let terms): terms.reduce(0) { $0 + $1.complexity }
        }
    }

    func forEachName(_ body: (String) -> Void) {
        switch self {
        case .constant:
            break
        case .flag(let name):
            body(name)
        case .comparison(let left, _, let right):
            left.name.map(body)
            right.name.map(body)
        case .match(let operand, _):
            operand.name.map(body)
        case .not(let term):
            term.forEachName(body)
        case .all(let terms), .any(let terms):
            for term in terms {
                term.forEachName(body)
            }
        }
    }
}

extension Term: CustomStringConvertible {
    /// The text, with the necessary parentheses only.
    var description: String {
        switch self {
        case .constant(let constant): constant.description
        case .flag(let name): name
        case .comparison(let left, let relation, let right):
            "\(left) \(relation.rawValue) \(right)"
        case .match(let operand, let glob): "\(operand) ~ \(Scalar.string(glob.pattern))"
        case .not(let term): "!" + term.parenthesised(unless: term.standsAlone)
        case .all(let terms):
            terms.map { $0.parenthesised(unless: !$0.isAny) }.joined(separator: " && ")
        case .any(let terms): terms.map(\.description).joined(separator: " || ")
        }
    }

    private var standsAlone: Bool {
        switch self {
        case .constant, .flag, .not: true
        case .comparison, .match, .all, .any: false
        }
    }

    private var isAny: Bool {
        if case .any = self { true } else { false }
    }

    private func parenthesised(unless needless: Bool) -> String {
        needless ? description : "(\(description))"
    }
}

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

/// The relation of a comparison.
enum Relation: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="

    /// Returns whether the relation holds: `false` for operands of different types, and for an order
    /// relation of a type without an order.
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
