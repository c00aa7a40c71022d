// SPDX-License-Identifier: Apache-2.0

/// Bytes as text (ZeroMQ's RFC 32): four bytes are five characters.
enum Z85 {
    private static let alphabet = Array(
        ("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            + ".-:+=^!/*?&<>()[]{}@%$#").utf8)

    /// Returns `nil` unless the bytes come in fours.
    static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.count.isMultiple(of: 4) else {
            return nil
        }
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var value = bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            var digits: [UInt8] = []
            for _ in 0..<5 {
                digits.append(alphabet[Int(value % 85)])
                value /= 85
            }
            text += digits.reversed()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns `nil` if the text is not of that kind.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { alphabet.firstIndex(of: $0) }
        guard digits.count.isMultiple(of: 5) else {
            return nil
        }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 5) {
            var value: UInt64 = 0
            for digit in digits[start..<(start + 5)] {
                guard let digit else {
                    return nil
                }
                value = value * 85 + UInt64(digit)
            }
            guard let word = UInt32(exactly: value) else {
                return nil
            }
            bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        return bytes
    }
}
