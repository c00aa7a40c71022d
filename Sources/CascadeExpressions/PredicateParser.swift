// SPDX-License-Identifier: Apache-2.0

/// A parser of predicates. It stops at the first token after the predicate.
///
/// It recurses for parentheses and `!` only, and no deeper than ``Predicate/depthMax``.
struct PredicateParser {
    var tokens: TokenReader

    init(_ tokenizer: Tokenizer) {
        tokens = TokenReader(tokenizer)
    }

    mutating func predicate() throws(ExpressionError) -> Predicate {
        let first = try tokens.peek()
        let term = try disjunction(depth: 0, after: nil)
        guard term.description.utf8.count <= Predicate.byteCountMax else {
            throw tokens.error(Predicate.tooLong, at: first)
        }
        return Predicate(term)
    }

    mutating func expectEnd() throws(ExpressionError) {
        let token = try tokens.peek()
        guard token.kind == .end else {
            throw tokens.error(expected: "'&&', '||' or the end", found: token)
        }
    }

    // MARK: - Grammar

    private mutating func disjunction(
        depth: Int, after previous: Token?
    ) throws(ExpressionError) -> Term {
        var terms = [try conjunction(depth: depth, after: previous)]
        while try tokens.peek().symbol == .or {
            let symbol = try tokens.next()
            terms.append(try conjunction(depth: depth, after: symbol))
        }
        return .joined(terms, by: .or)
    }

    private mutating func conjunction(
        depth: Int, after previous: Token?
    ) throws(ExpressionError) -> Term {
        var terms = [try condition(depth: depth, after: previous)]
        while try tokens.peek().symbol == .and {
            let symbol = try tokens.next()
            terms.append(try condition(depth: depth, after: symbol))
        }
        return .joined(terms, by: .and)
    }

    private mutating func condition(
        depth: Int, after previous: Token?
    ) throws(ExpressionError) -> Term {
        let token = try tokens.peek()
        guard depth < Predicate.depthMax || (token.symbol != .open && token.symbol != .not) else {
            let message = "'(' and '!' nest more than \(Predicate.depthMax) deep"
            throw tokens.error(message, at: token)
        }
        switch token.symbol {
        case .open:
            return try group(depth: depth + 1)
        case .not:
            _ = try tokens.next()
            return .not(try negated(depth: depth + 1, after: token))
        default:
            return try comparison(after: previous)
        }
    }

    private mutating func group(depth: Int) throws(ExpressionError) -> Term {
        let open = try tokens.next()
        let term = try disjunction(depth: depth, after: open)
        let close = try tokens.next()
        guard close.symbol == .close else {
            throw tokens.error(expected: "'&&', '||' or ')'", found: close)
        }
        return term
    }

    /// Parses the operand of `!`. A comparison needs parentheses, because `!a == b` is ambiguous to its
    /// readers.
    private mutating func negated(
        depth: Int, after not: Token
    ) throws(ExpressionError) -> Term {
        let isGroup = try tokens.peek().symbol == .open
        let term = try condition(depth: depth, after: not)
        switch term {
        case .comparison where !isGroup, .match where !isGroup:
            throw tokens.error("'!' needs parentheses around the comparison after it", at: not)
        default:
            return term
        }
    }

    private mutating func comparison(after previous: Token?) throws(ExpressionError) -> Term {
        let token = try tokens.next()
        let left = try operand(token, after: previous)
        let sign = try tokens.peek()
        if let relation = sign.symbol?.relation {
            _ = try tokens.next()
            return .comparison(left, relation, try operand(try tokens.next(), after: sign))
        }
        if sign.symbol == .match {
            _ = try tokens.next()
            return .match(left, try glob(try tokens.next()))
        }
        switch left {
        case .name(let name):
            return .flag(name)
        case .literal(.boolean(let constant)):
            return .constant(constant)
        case .literal:
            let message = "\(tokens.shown(token)) alone is not a condition; compare it with a value"
            throw tokens.error(message, at: token)
        }
    }

    private func operand(
        _ token: Token, after previous: Token?
    ) throws(ExpressionError) -> Operand {
        switch token.kind {
        case .name(let name):
            return .name(name)
        case .literal(let scalar):
            return .literal(scalar)
        case .symbol, .end:
            guard let previous else {
                throw tokens.error(expected: "a predicate", found: token)
            }
            let what = previous.symbol?.relation == nil ? "a condition" : "a value"
            throw tokens.error(
                expected: "\(what) after \(tokens.shown(previous))", found: token)
        }
    }

    private func glob(_ token: Token) throws(ExpressionError) -> Glob {
        guard case .literal(.string(let pattern)) = token.kind else {
            throw tokens.error(expected: "a pattern in double quotes after '~'", found: token)
        }
        return Glob(pattern)
    }
}
