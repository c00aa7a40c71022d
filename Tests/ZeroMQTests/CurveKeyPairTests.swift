// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

@Suite struct CurveKeyPairTests {
    @Test func `a key pair is read from its own text among comments`() throws {
        let pair = try CurveKeyPair()
        let read = try #require(CurveKeyPair(fileText: "# mine\n\n" + pair.fileText))
        #expect(read.publicKey == pair.publicKey && read.secretKey == pair.secretKey)
        #expect(CurveKeyPair.isKey(pair.publicKey) && pair.publicKey != pair.secretKey)
    }

    @Test func `half a pair, two pairs and a short key are refused`() throws {
        let pair = try CurveKeyPair()
        #expect(CurveKeyPair(fileText: "secret \(pair.secretKey)\n") == nil)
        #expect(CurveKeyPair(fileText: pair.fileText + pair.fileText) == nil)
        let short = pair.fileText.dropLast(2)
        #expect(CurveKeyPair(fileText: String(short)) == nil)
        #expect(!CurveKeyPair.isKey("HelloWorld"))
    }
}
