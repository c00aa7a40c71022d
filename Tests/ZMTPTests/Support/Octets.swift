// SPDX-License-Identifier: Apache-2.0

/// Bytes of a peer, put together by the grammar of the RFC and not by the engine.
enum Octets {
    static func greeting(
        major: UInt8 = 3, minor: UInt8 = 1, mechanism: String = "NULL"
    ) -> [UInt8] {
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, major, minor] + Array(mechanism.utf8)
            + [UInt8](repeating: 0, count: 52 - mechanism.utf8.count)
    }

    static func frame(flags: UInt8, _ body: [UInt8], isLong: Bool = false) -> [UInt8] {
        guard isLong || body.count > 255 else {
            return [flags, UInt8(body.count)] + body
        }
        return [flags | 2] + bigEndian(UInt64(body.count)) + body
    }

    static func message(_ bodies: [[UInt8]]) -> [UInt8] {
        bodies.enumerated().flatMap { index, body in
            frame(flags: index < bodies.count - 1 ? 1 : 0, body)
        }
    }

    static func command(_ name: String, _ data: [UInt8] = []) -> [UInt8] {
        frame(flags: 4, [UInt8(name.utf8.count)] + Array(name.utf8) + data)
    }

    static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + bigEndian(UInt32(value.count)) + value
    }

    static func ready(_ socketType: String, identity: [UInt8]? = []) -> [UInt8] {
        command(
            "READY",
            property("Socket-Type", Array(socketType.utf8))
                + (identity.map { property("Identity", $0) } ?? []))
    }

    static func bigEndian<Integer: FixedWidthInteger>(_ integer: Integer) -> [UInt8] {
        withUnsafeBytes(of: integer.bigEndian) { Array($0) }
    }

    /// The bytes that a client sends until its connection is open.
    static let dealerStart = greeting() + ready("DEALER")
}

extension [UInt8] {
    /// Bytes written as hexadecimal digits; white space has no meaning.
    init(hexadecimal text: String) {
        let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
