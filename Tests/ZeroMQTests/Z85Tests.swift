// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

@Suite struct Z85Tests {
    @Test func `Z85 encodes and decodes the example of its specification`() {
        #expect(Z85.text([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]) == "HelloWorld")
        #expect(Z85.bytes("HelloWorld") == [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B])
        for wrong in ["Hell", "Hello World", "#####", "\u{E9}abcd", "Hello\0orld"] {
            #expect(Z85.bytes(wrong) == nil, "\(wrong)")
        }
        #expect(Z85.text([1, 2, 3]) == nil)
    }
}
