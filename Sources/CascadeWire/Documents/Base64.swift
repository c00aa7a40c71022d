// SPDX-License-Identifier: Apache-2.0

/// Bytes as text (RFC 4648), for payloads that are no JSON.
package enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let digit = digits[bits >> (18 - 6 * place) & 0x3F]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` for what ``encode(_:)`` does not write.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let group = rest.prefix(4)
            rest = rest.dropFirst(4)
            let significant = group.prefix { $0 != UInt8(ascii: "=") }
            let places = significant.compactMap { digits.firstIndex(of: $0) }
            guard group.count == 4, places.count == significant.count, places.count > 1,
                places.count == 4 || rest.isEmpty
            else {
                return nil
            }
            let bits = places.reduce(0) { $0 << 6 | $1 } << (6 * (4 - places.count))
            bytes += (0..<(places.count - 1)).map {
                UInt8(truncatingIfNeeded: bits >> (16 - 8 * $0))
            }
        }
        return bytes
    }
}
