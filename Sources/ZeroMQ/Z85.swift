// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// Bytes as text (ZeroMQ's RFC 32): five characters stand for four bytes.
package enum Z85 {
    /// Encodes bytes; `nil` unless their number is a multiple of four.
    package static func text(_ bytes: [UInt8]) -> String? {
        var characters = [CChar](repeating: 0, count: bytes.count / 4 * 5 + 1)
        guard zmq_z85_encode(&characters, bytes, bytes.count) != nil else {
            return nil
        }
        return String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Decodes a text; `nil` if it is not Z85.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(0) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 5 * 4)
        return zmq_z85_decode(&bytes, String(text)) == nil ? nil : bytes
    }
}
