// SPDX-License-Identifier: Apache-2.0

/// A parser that reads a predicate, and stops at the first token after it.
///
/// It recurses for parentheses and `!` only, and no deeper than ``Predicate/depthMax``.
struct PredicateParser {
    var tokens: TokenReader

    init(_ tokenizer: Tokenizer) {
        tokens = TokenReader(tokenizer)
    }

    mutating func predicate() throws(ExpressionError) -> Predicate {
        let first = try tokens.peek()
        let term = try disjunction(depth: 0, behind: nil)
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
        depth: Int, behind previous: Token?
    ) throws(ExpressionError) -> Term {
        var terms = [try conjunction(depth: depth, behind: previous)]
        while try tokens.peek().symbol == .or {
            let symbol = try tokens.next()
            terms.append(try conjunction(depth: depth, behind: symbol))
        }
        return .joined(terms, by: .or)
    }

    private mutating func conjunction(
        depth: Int, behind previous: Token?
    ) throws(ExpressionError) -> Term {
        var terms = [try condition(depth: depth, behind: previous)]
        while try tokens.peek().symbol == .and {
            let symbol = try tokens.next()
            terms.append(try condition(depth: depth, behind: symbol))
        }
        return .joined(terms, by: .and)
    }

    private mutating func condition(
        depth: Int, behind previous: Token?
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
            return .not(try negated(depth: depth + 1, behind: token))
        default:
            return try comparison(behind: previous)
        }
    }

    private mutating func group(depth: Int) throws(ExpressionError) -> Term {
        let open = try tokens.next()
        let term = try disjunction(depth: depth, behind: open)
        let close = try tokens.next()
        guard close.symbol == .close else {
            throw tokens.error(expected: "'&&', '||' or ')'", found: close)
        }
        return term
    }

    /// Parses the operand of `!`. A comparison needs parentheses, because readers disagree on the
    /// meaning of `!a == b`.
    private mutating func negated(
        depth: Int, behind not: Token
    ) throws(ExpressionError) -> Term {
        let isGroup = try tokens.peek().symbol == .open
        let term = try condition(depth: depth, behind: not)
        switch term {
        case .comparison where !isGroup, .match where !isGroup:
            throw tokens.error("'!' needs parentheses around the comparison after it", at: not)
        default:
            return term
        }
    }

    private mutating func comparison(behind previous: Token?) throws(ExpressionError) -> Term {
        let token = try tokens.next()
        let left = try operand(token, behind: previous)
        let sign = try tokens.peek()
        if let relation = sign.symbol?.relation {
            _ = try tokens.next()
            return .comparison(left, relation, try operand(try tokens.next(), behind: sign))
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
            let message = "\(tokens.shown(token)) alone is neither true nor false"
            throw tokens.error(message, at: token)
        }
    }

    private func operand(
        _ token: Token, behind previous: Token?
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
