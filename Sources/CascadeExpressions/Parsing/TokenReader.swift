// SPDX-License-Identifier: Apache-2.0

/// The tokens of a text, with a lookahead of one.
struct TokenReader {
    private(set) var tokenizer: Tokenizer
    private var peeked: Token?

    init(_ tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
    }

    mutating func peek() throws(ExpressionError) -> Token {
        if let peeked {
            return peeked
        }
        let token = try tokenizer.next()
        peeked = token
        return token
    }

    mutating func next() throws(ExpressionError) -> Token {
        let token = try peek()
        peeked = nil
        return token
    }

    /// Consumes the next token if it is `symbol`. Returns whether it was.
    mutating func take(_ symbol: Symbol) throws(ExpressionError) -> Bool {
        guard try peek().symbol == symbol else {
            return false
        }
        peeked = nil
        return true
    }

    /// Parses one JSON value.
    ///
    /// Precondition: no token has been peeked.
    mutating func json() throws(ExpressionError) -> String {
        precondition(peeked == nil, "a token has been cut where JSON stands")
        return try tokenizer.json()
    }

    func error(_ message: String, at token: Token) -> ExpressionError {
        tokenizer.error(message, at: token.range.lowerBound)
    }

    func error(expected what: String, found token: Token) -> ExpressionError {
        error("expected \(what), found \(tokenizer.shown(token))", at: token)
    }

    /// Returns the column of a token, counted from 1, in the line that begins at `start`.
    func column(of token: Token, inLineFrom start: Int) -> Int {
        ExpressionError.column(of: token.range.lowerBound, from: start, in: tokenizer.bytes)
    }

    func shown(_ token: Token) -> String {
        tokenizer.shown(token)
    }
}
