// SPDX-License-Identifier: Apache-2.0

/// A parser for one line of a rules file.
struct RuleParser {
    private var predicates: PredicateParser
    private let hasArrow: Bool
    private let number: Int
    private let lineStart: Int

    /// - Parameter number: The number of the line, counted from 1.
    init(_ bytes: [UInt8], line: Range<Int>, number: Int) {
        self.number = number
        lineStart = line.lowerBound
        predicates = PredicateParser(Tokenizer(bytes, in: line, hasComments: true))
        hasArrow = Self.hasArrow(bytes[line])
    }

    /// Returns the rule of the line; `nil` if the line has none.
    mutating func rule() throws(ExpressionError) -> Rule? {
        let first = try predicates.tokens.peek()
        guard first.kind != .end else {
            return nil
        }
        let predicate = hasArrow ? try condition() : nil
        let key = try key()
        let value = try value()
        let priority = try priority()
        let column = predicates.tokens.column(of: first, inLineFrom: lineStart)
        return Rule(
            predicate: predicate, key: key, value: value, priority: priority, line: number,
            column: column)
    }

    /// Returns whether there is a `=>` outside strings and comments.
    ///
    /// Only the arrow distinguishes a rule without a predicate from one whose predicate begins with
    /// a comparison: both may begin with `a <= b`.
    private static func hasArrow(_ line: ArraySlice<UInt8>) -> Bool {
        var isString = false
        var offset = line.startIndex
        while offset < line.endIndex {
            let byte = line[offset]
            let next = offset + 1 < line.endIndex ? line[offset + 1] : nil
            switch byte {
            case UInt8(ascii: "\\") where isString:
                offset += 1
            case UInt8(ascii: "\""):
                isString.toggle()
            case UInt8(ascii: "#") where !isString:
                return false
            case UInt8(ascii: "=") where !isString && next == UInt8(ascii: ">"):
                return true
            case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"):
                // The `=` that ends `==`, `!=`, `<=` or `>=` does not begin an arrow.
                offset += !isString && next == UInt8(ascii: "=") ? 1 : 0
            default:
                break
            }
            offset += 1
        }
        return false
    }

    // MARK: - Parts

    private mutating func condition() throws(ExpressionError) -> Predicate {
        let predicate = try predicates.predicate()
        let arrow = try predicates.tokens.next()
        guard arrow.symbol == .implies else {
            throw predicates.tokens.error(expected: "'&&', '||' or '=>'", found: arrow)
        }
        return predicate
    }

    private mutating func key() throws(ExpressionError) -> String {
        let token = try predicates.tokens.next()
        guard case .name(let key) = token.kind else {
            let what = hasArrow ? "a key after '=>'" : "a predicate or a key"
            throw predicates.tokens.error(expected: what, found: token)
        }
        let arrow = try predicates.tokens.next()
        guard arrow.symbol == .lessOrArrow else {
            let what = hasArrow ? "'<=' after the key" : "'<=' after the key, or a '=>' before"
            throw predicates.tokens.error(expected: what, found: arrow)
        }
        return key
    }

    private mutating func value() throws(ExpressionError) -> Rule.Value {
        var words = predicates.tokens
        if let token = try? words.next() {
            switch token.kind {
            case .name(let key):
                predicates.tokens = words
                return .key(key)
            case .end:
                throw words.error(expected: "a value after '<='", found: token)
            default:
                break
            }
        }
        return .json(try predicates.tokens.json())
    }

    private mutating func priority() throws(ExpressionError) -> Int {
        guard try predicates.tokens.accept(.semicolon) else {
            try expectEnd("';' or the end of the line")
            return RulePriority.normal.rawValue
        }
        let token = try predicates.tokens.next()
        let priority = try priority(token)
        try expectEnd("the end of the line")
        return priority
    }

    private func priority(_ token: Token) throws(ExpressionError) -> Int {
        switch token.kind {
        case .name(let name):
            if let named = RulePriority(name: name) {
                return named.rawValue
            }
        case .literal(.number(let number)):
            if let integer = number.integer, RulePriority.range.contains(Int(integer)) {
                return Int(integer)
            }
            let range = "\(RulePriority.range.lowerBound) to \(RulePriority.range.upperBound)"
            throw predicates.tokens.error(
                "a priority is an integer from \(range), not \(predicates.tokens.shown(token))",
                at: token)
        default:
            break
        }
        let names = RulePriority.allCases.map { "\($0)" }.joined(separator: ", ")
        throw predicates.tokens.error(
            expected: "a priority (a number, \(names)) after ';'", found: token)
    }

    private mutating func expectEnd(_ what: String) throws(ExpressionError) {
        let token = try predicates.tokens.next()
        guard token.kind == .end else {
            throw predicates.tokens.error(expected: what, found: token)
        }
    }
}
