// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// A tokenizer of predicates and rules. It reads one token at a time, because the text after the arrow
/// of a rule is JSON and has other tokens.
struct Tokenizer {
    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int
    private let hasComments: Bool

    init(_ bytes: [UInt8]) {
        self.init(bytes, in: 0..<bytes.count, hasComments: false)
    }

    init(_ bytes: [UInt8], in range: Range<Int>, hasComments: Bool) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        self.hasComments = hasComments
    }

    mutating func next() throws(ExpressionError) -> Token {
        skipSpace()
        let start = offset
        guard start < end, !(hasComments && bytes[start] == UInt8(ascii: "#")) else {
            return Token(kind: .end, range: start..<start)
        }
        let byte = bytes[start]
        let kind: Token.Kind
        if byte == UInt8(ascii: "\"") {
            kind = .literal(try string())
        } else if byte == UInt8(ascii: "-") || Self.isDigit(byte) {
            kind = .literal(try number())
        } else if Self.isNameStart(byte) {
            kind = word()
        } else {
            kind = .symbol(try symbol())
        }
        return Token(kind: kind, range: start..<offset)
    }

    /// Parses one JSON value of any kind, and returns its text.
    mutating func json() throws(ExpressionError) -> String {
        skipSpace()
        let start = offset
        try withCursor { cursor throws(JSONError) in try cursor.skipValue() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    func error(_ message: String, at offset: Int) -> ExpressionError {
        ExpressionError(message, at: offset, in: bytes)
    }

    /// Returns the token as error messages quote it.
    func shown(_ token: Token) -> String {
        guard token.kind != .end else {
            return "the end"
        }
        return "'" + shown(token.range) + "'"
    }

    private func shown(_ range: Range<Int>) -> String {
        Quotation.shown(String(decoding: bytes[range], as: UTF8.self).unicodeScalars)
    }

    private mutating func skipSpace() {
        while offset < end, JSONCursor.isSpace(bytes[offset]) {
            offset += 1
        }
    }

    // MARK: - Kinds of tokens

    private mutating func word() -> Token.Kind {
        let start = offset
        while offset < end, Self.isNamePart(bytes[offset]) {
            offset += 1
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        return switch text {
        case "true": .literal(.boolean(true))
        case "false": .literal(.boolean(false))
        case "null": .literal(.null)
        default: .name(text)
        }
    }

    /// Parses a number. It consumes all characters that a number may have, so that an error quotes
    /// all of them.
    private mutating func number() throws(ExpressionError) -> Scalar {
        let start = offset
        while offset < end, Self.isNamePart(bytes[offset]) || bytes[offset] == UInt8(ascii: "+") {
            offset += 1
        }
        let stop = offset
        let text = String(decoding: bytes[start..<stop], as: UTF8.self)
        offset = start
        try? withCursor { cursor throws(JSONError) in try cursor.skipNumber() }
        guard offset == stop else {
            throw error("'\(shown(start..<stop))' is neither a number nor a name", at: start)
        }
        guard let number = Number(json: text) else {
            throw error("the number '\(shown(start..<stop))' is out of range", at: start)
        }
        return .number(number)
    }

    private mutating func string() throws(ExpressionError) -> Scalar {
        .string(try withCursor { cursor throws(JSONError) in try cursor.readString() })
    }

    private mutating func symbol() throws(ExpressionError) -> Symbol {
        for length in [2, 1] where length <= end - offset {
            let text = String(decoding: bytes[offset..<(offset + length)], as: UTF8.self)
            if let symbol = Symbol(rawValue: text) {
                offset += length
                return symbol
            }
        }
        switch bytes[offset] {
        case UInt8(ascii: "="): throw error("'=' is not an operator; use '=='", at: offset)
        case UInt8(ascii: "&"): throw error("expected '&&', found '&'", at: offset)
        case UInt8(ascii: "|"): throw error("expected '||', found '|'", at: offset)
        case UInt8(ascii: "'"): throw error("a string needs double quotes", at: offset)
        default:
            let rest = String(decoding: bytes[offset..<end].prefix(8), as: UTF8.self)
            let character = Quotation.shown(rest.unicodeScalars.prefix(1))
            throw error("unexpected '\(character)'", at: offset)
        }
    }

    private mutating func withCursor<Value>(
        _ body: (inout JSONCursor) throws(JSONError) -> Value
    ) throws(ExpressionError) -> Value {
        let start = offset
        let end = end
        let (result, offset) = bytes.withUnsafeBytes { bytes in
            var cursor = JSONCursor(UnsafeRawBufferPointer(rebasing: bytes[..<end]), at: start)
            let result = Result { () throws(JSONError) in try body(&cursor) }
            return (result, cursor.offset)
        }
        switch result {
        case .success(let value):
            self.offset = offset
            return value
        case .failure(let fault):
            throw error(fault.message, at: fault.offset)
        }
    }

    // MARK: - Bytes

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns whether a text is a valid name in a predicate.
    static func isName(_ text: String) -> Bool {
        (text.utf8.first.map(isNameStart) ?? false) && text.utf8.allSatisfy(isNamePart)
            && !["true", "false", "null"].contains(text)
    }

    /// Names begin with a letter or `_`; a digit or `-` begins a number.
    private static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"): true
        default: isNameStart(byte) || isDigit(byte)
        }
    }
}

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

/// A token with a fixed spelling.
///
/// `<=` has two meanings: a comparison in a predicate, and the assignment arrow in a rule. The
/// parser decides by position.
enum Symbol: String, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrArrow = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case match = "~"
    case open = "("
    case close = ")"
    case implies = "=>"
    case semicolon = ";"

    var relation: Relation? {
        Relation(rawValue: rawValue)
    }
}

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
    mutating func accept(_ symbol: Symbol) throws(ExpressionError) -> Bool {
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
        precondition(peeked == nil, "a token was read before the JSON value")
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
