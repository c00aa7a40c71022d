// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

@Suite struct GreetingTests {
    /// Bytes of a peer that is refused, why, and the offset of the byte that shows it.
    struct Refusal: Sendable {
        let bytes: [UInt8]
        let reason: Fault.Reason
        let offset: Int
    }

    static let refusals = [
        // An identity frame of ZMTP 1.0: its length, flags, and no body.
        Refusal(bytes: [1, 0], reason: .notVersioned(firstByte: 1), offset: 0),
        // A long identity frame of ZMTP 1.0.
        Refusal(
            bytes: [0xFF, 0, 0, 0, 0, 0, 0, 1, 0x2C, 0] + [UInt8](repeating: 0x61, count: 299),
            reason: .notVersioned(firstByte: 0xFF), offset: 9),
        Refusal(
            bytes: [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7D, 3], reason: .badSignature(0x7D), offset: 9),
        // ZMTP 2.0: the version 1, the socket type DEALER, and an empty identity.
        Refusal(
            bytes: [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 5, 0, 0],
            reason: .outdatedVersion(major: 1), offset: 10),
        Refusal(
            bytes: Octets.greeting(major: 2), reason: .outdatedVersion(major: 2), offset: 10),
        Refusal(
            bytes: Octets.greeting(mechanism: "PLAIN"), reason: .unsupportedMechanism("PLAIN"),
            offset: 12),
        Refusal(
            bytes: Octets.greeting(mechanism: "CURVE"), reason: .unsupportedMechanism("CURVE"),
            offset: 12),
        Refusal(
            bytes: Octets.greeting(mechanism: "NULLX"), reason: .unsupportedMechanism("NULLX"),
            offset: 12),
        Refusal(
            bytes: Octets.greeting(mechanism: "NULL\u{0}\u{1}"),
            reason: .unsupportedMechanism("NULL"), offset: 12),
        Refusal(
            bytes: Octets.greeting(mechanism: "\u{1B}[31m\\"),
            reason: .unsupportedMechanism("\\x1B[31m\\x5C"), offset: 12),
        Refusal(
            bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8),
            reason: .notVersioned(firstByte: 0x47), offset: 0),
        // A ClientHello of TLS.
        Refusal(
            bytes: [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3],
            reason: .notVersioned(firstByte: 0x16), offset: 0),
    ]

    @Test(arguments: refusals)
    func `a peer of another protocol, version or mechanism is refused at the byte that shows it`(
        _ refusal: Refusal
    ) {
        for piece in [1, 7, refusal.bytes.count] {
            let receiver = Receiver(.router)
            var rest = refusal.bytes[...]
            while !rest.isEmpty {
                receiver.receive(rest.prefix(piece))
                rest = rest.dropFirst(piece)
            }
            #expect(receiver.fault?.reason == refusal.reason)
            #expect(receiver.fault?.offset == UInt64(refusal.offset))
            #expect(receiver.records.count == 2, "the greeting and one failure")
        }
    }

    @Test func `a peer is refused without waiting for the octets after the wrong one`() {
        for refusal in Self.refusals where refusal.offset < 12 {
            let receiver = Receiver(.router)
            receiver.receive(refusal.bytes.prefix(refusal.offset))
            #expect(receiver.fault == nil)
            receiver.receive(refusal.bytes.dropFirst(refusal.offset).prefix(1))
            #expect(receiver.fault?.reason == refusal.reason)
        }
    }

    @Test(arguments: [(3, 0), (3, 1), (3, 2), (4, 0), (255, 255)])
    func `ZMTP 3.0 and all later versions are accepted`(major: UInt8, minor: UInt8) {
        let receiver = Receiver(.router)
        receiver.receive(
            Octets.greeting(major: major, minor: minor) + Octets.ready("DEALER")
                + Octets.message([[1]]))
        #expect(receiver.messages == [[[1]]])
        #expect(
            receiver.peer?.version == ProtocolVersion(major: major, minor: minor))
    }

    @Test func `padding, as-server and filler are ignored`() {
        var greeting = Octets.greeting()
        for index in Array(1...8) + Array(32...63) {
            greeting[index] = 0xA5
        }
        let receiver = Receiver(.router)
        receiver.receive(greeting + Octets.ready("DEALER"))
        #expect(receiver.records.last == .opened)
    }

    @Test func `PING is sent to a peer of ZMTP 3.1, and not before the connection is open`() {
        let old = Receiver(.router)
        #expect(old.ping() == nil)
        old.receive(Octets.greeting(minor: 0) + Octets.ready("DEALER"))
        #expect(old.isOpen)
        #expect(old.ping() == nil)
        let new = Receiver(.router)
        new.receive(Octets.greeting())
        #expect(new.ping() == nil)
        new.receive(Octets.ready("DEALER"))
        #expect(new.ping() == .ping(timeToLive: 0, PingContext()))
    }
}
