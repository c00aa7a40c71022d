// SPDX-License-Identifier: Apache-2.0

/// Names one session for good: 128 random bits, drawn by the process that opens it.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The upper and the lower half.
    package let high, low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws an ID from `generator`.
    package init(using generator: inout some RandomNumberGenerator) {
        high = generator.next()
        low = generator.next()
    }

    /// `nil` unless `text` is the 32 hexadecimal digits of ``description``.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else {
            return nil
        }
        self.init(high: high, low: low)
        guard description == text else {
            return nil
        }
    }

    /// 32 hexadecimal digits, in lower case.
    public var description: String {
        Self.digits(high) + Self.digits(low)
    }

    private static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
