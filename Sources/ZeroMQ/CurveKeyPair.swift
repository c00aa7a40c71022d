// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// A fresh pair of keys for CURVE, as Z85 text.
package struct CurveKeyPair: Sendable {
    package let publicKey: String
    package let secretKey: String

    package init() throws(ZeroMQError) {
        var publicKey = [CChar](repeating: 0, count: 41)
        var secretKey = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicKey, &secretKey) == 0 else {
            throw ZeroMQError(during: "make a pair of keys")
        }
        self.publicKey = Self.text(publicKey)
        self.secretKey = Self.text(secretKey)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
