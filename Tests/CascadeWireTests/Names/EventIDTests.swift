// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@Suite struct EventIDTests {
    private let session = "00112233445566778899aabbccddeeff"

    @Test func `an event ID is the session's digits, a dash and the number`() {
        let id = EventID(session: Fixture.sessionID, sequence: 17)
        #expect(id.description == "\(session)-17")
        #expect(EventID("\(session)-17") == id)
    }

    @Test(arguments: [
        "", "-", "17", "00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff-",
        "00112233445566778899aabbccddeeff-017", "00112233445566778899aabbccddeeff-+17",
        "00112233445566778899aabbccddeeff--17", "00112233445566778899AABBCCDDEEFF-17",
        "+0112233445566778899aabbccddeeff-17", "0112233445566778899aabbccddeeff-17",
        "00112233445566778899aabbccddeeff-18446744073709551616",
    ])
    func `an event ID in any other form is nil`(text: String) {
        #expect(EventID(text) == nil)
    }
}
