// SPDX-License-Identifier: Apache-2.0

/// Splits source into words and punctuation marks.
///
/// Rules compare tokens rather than text: spacing cannot hide a word, and `fingerprint(` is not
/// `print(`.
struct Tokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []

    static func tokens(in text: String) -> [Token] {
        tokens(in: Array(text.utf8))
    }

    static func tokens(in bytes: [UInt8]) -> [Token] {
        var tokenizer = Tokenizer(bytes: bytes)
        while tokenizer.position < bytes.count {
            tokenizer.advance()
        }
        return tokenizer.tokens
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
            true
        default:
            false
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func advance() {
        let byte = bytes[position]
        if byte == UInt8(ascii: "\n") {
            line += 1
            position += 1
        } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
            position += 1
        } else {
            take(lengthOfToken(startingWith: byte))
        }
    }

    private func lengthOfToken(startingWith byte: UInt8) -> Int {
        if byte == UInt8(ascii: "`"), let length = lengthOfQuotedWord() {
            return length
        }
        guard Self.isWordByte(byte) else { return 1 }
        let word = bytes[position...].prefix(while: Self.isWordByte)
        let forces = word.elementsEqual("try".utf8) || word.elementsEqual("as".utf8)
        let isFollowedByMark = bytes[word.endIndex...].starts(with: "!".utf8)
        return forces && isFollowedByMark ? word.count + 1 : word.count
    }

    /// The length of a word in backticks, which may contain spaces.
    private func lengthOfQuotedWord() -> Int? {
        let rest = bytes[(position + 1)...].prefix(while: { $0 != UInt8(ascii: "\n") })
        return rest.firstIndex(of: UInt8(ascii: "`")).map { $0 - position + 1 }
    }

    private mutating func take(_ length: Int) {
        let text = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
        tokens.append(Token(text: text, line: line))
        position += length
    }
}
