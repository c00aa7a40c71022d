// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

/// Peers that are broken or hostile, and the sentence that a log shows about each.
@Suite struct HostilePeerTests {
    struct Peer: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let sentence: String
        var limits = ConnectionLimits()

        /// Whether the peer closes the connection after its bytes.
        var isClosed = false

        var testDescription: String {
            name
        }
    }

    /// The first byte after the handshake, counted from 1 as sentences do.
    private static let first = Octets.dealerStart.count + 1

    static let peers = greetings + handshakes + frames + commands + ends

    // MARK: - Greetings

    private static let greetings = [
        Peer(
            name: "ZMTP 1.0", bytes: [1, 0, 0, 0],
            sentence: """
                the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x01), and ZMTP 3.0 \
                or later is required at byte 1
                """),
        Peer(
            name: "ZMTP 2.0", bytes: [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 5, 0, 0],
            sentence: "the peer speaks ZMTP 2.0, and 3.0 or later is required at byte 11"),
        Peer(
            name: "PLAIN", bytes: Octets.greeting(mechanism: "PLAIN"),
            sentence: """
                the peer demands the security mechanism 'PLAIN', and only NULL is supported at byte 13
                """),
        Peer(
            name: "CURVE",
            bytes: Octets.greeting(mechanism: "CURVE")
                + Octets.command("HELLO", [1, 0] + [UInt8](repeating: 7, count: 192)),
            sentence: """
                the peer demands the security mechanism 'CURVE', and only NULL is supported at byte 13
                """),
        Peer(
            name: "HTTP", bytes: Array("GET / HTTP/1.1\r\nHost: bus\r\n\r\n".utf8),
            sentence: """
                the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x47), and ZMTP 3.0 \
                or later is required at byte 1
                """),
        Peer(
            name: "TLS", bytes: [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3],
            sentence: """
                the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x16), and ZMTP 3.0 \
                or later is required at byte 1
                """),
    ]

    // MARK: - Handshakes

    private static let handshakes = [
        Peer(
            name: "a message instead of READY", bytes: Octets.greeting() + Octets.message([[1]]),
            sentence: "the peer sent a message before READY at byte 65"),
        Peer(
            name: "HELLO of CURVE after a greeting of NULL",
            bytes: Octets.greeting() + Octets.command("HELLO", [1, 0]),
            sentence: "the command HELLO is not valid here at byte 68"),
        Peer(
            name: "a subscriber", bytes: Octets.greeting() + Octets.ready("SUB", identity: nil),
            sentence: "a peer of socket type 'SUB' cannot connect to this socket at byte 89"),
        Peer(
            name: "READY of 5,000 bytes",
            bytes: Octets.greeting()
                + Octets.command(
                    "READY", Octets.property("X-A", [UInt8](repeating: 0, count: 5_000))),
            sentence: "a command of 5014 bytes exceeds the limit of 4096 at byte 65"),
        Peer(
            name: "33 properties",
            bytes: Octets.greeting()
                + Octets.command("READY", (0..<33).flatMap { Octets.property("X-\($0)", []) }),
            sentence: "the metadata of READY exceed the limit of 32 properties at byte 358"),
        Peer(
            name: "a value that is longer than READY",
            bytes: Octets.greeting()
                + Octets.command("READY", [1, 0x41, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
            sentence: "the metadata of READY are malformed: a value exceeds the command at byte 75"),
        Peer(
            name: "a routing ID of 256 bytes",
            bytes: Octets.greeting()
                + Octets.ready("DEALER", identity: [UInt8](repeating: 1, count: 256)),
            sentence: "the identity is longer than 255 bytes at byte 115"),
    ]

    // MARK: - Frames

    private static let frames = [
        Peer(
            name: "a frame that announces 2^62 bytes",
            bytes: Octets.dealerStart + [2] + Octets.bigEndian(UInt64(1) << 62),
            sentence: """
                a frame of 4611686018427387904 bytes exceeds the limit of 16777216 at byte \(first)
                """),
        Peer(
            name: "a frame that announces 2^63 bytes",
            bytes: Octets.dealerStart + [2] + Octets.bigEndian(UInt64(1) << 63),
            sentence: """
                a frame of 9223372036854775808 bytes exceeds the range of ZMTP at byte \(first + 1)
                """),
        Peer(
            name: "a frame that is longer than it says",
            bytes: Octets.dealerStart + [0, 1, 0x41, 0xFE],
            sentence: "the flags 0xFE of a frame contain reserved bits at byte \(first + 3)"),
        Peer(
            name: "a frame that is shorter than it says",
            bytes: Octets.dealerStart + [0, 9, 0x41],
            sentence: """
                the peer closed the connection within its handshake or a message after \(first + 2) bytes
                """,
            isClosed: true),
        Peer(
            name: "5,000 frames in one message",
            bytes: Octets.dealerStart + [[UInt8]](repeating: [1, 0], count: 5_000).flatMap(\.self),
            sentence: "a message exceeds the limit of 4096 frames at byte \(first + 2 * 4_095)",
            limits: ConnectionLimits(frameCount: 4_096)),
        Peer(
            name: "a message of many bytes in small frames",
            bytes: Octets.dealerStart
                + [[UInt8]](repeating: [1, 3, 7, 7, 7], count: 40).flatMap(\.self),
            sentence: "a message exceeds the limit of 100 bytes at byte \(first + 5 * 33)",
            limits: ConnectionLimits(messageByteCount: 100)),
        Peer(
            name: "a message without an end",
            bytes: Octets.dealerStart + [1, 1, 0x41, 1, 1, 0x42],
            sentence: """
                the peer closed the connection within its handshake or a message after \(first + 5) bytes
                """,
            isClosed: true),
    ]

    // MARK: - Commands

    private static let commands =
        ["SUBSCRIBE", "CANCEL", "JOIN", "LEAVE"].map { name in
            Peer(
                name: name, bytes: Octets.dealerStart + Octets.command(name, [0x61]),
                sentence: "the command \(name) is not valid here at byte \(first + 3)")
        } + [
            Peer(
                name: "a second READY", bytes: Octets.dealerStart + Octets.ready("DEALER"),
                sentence: "the command READY is not valid here at byte \(first + 3)"),
            Peer(
                name: "a command with MORE", bytes: Octets.dealerStart + [5, 5],
                sentence: "a command has the MORE flag at byte \(first)"),
            Peer(
                name: "an empty command", bytes: Octets.dealerStart + [4, 0],
                sentence: "a command has no valid name at byte \(first + 2)"),
            Peer(
                name: "a command of 1 MiB",
                bytes: Octets.dealerStart + [6] + Octets.bigEndian(UInt64(1 << 20)),
                sentence: "a command of 1048576 bytes exceeds the limit of 4096 at byte \(first)"),
            Peer(
                name: "PING with a context of 17 bytes",
                bytes: Octets.dealerStart
                    + Octets.command("PING", [UInt8](repeating: 0, count: 19)),
                sentence: "the command PING is malformed at byte \(first + 7)"),
            Peer(
                name: "commands within a message",
                bytes: Octets.dealerStart + [1, 0]
                    + [[UInt8]](repeating: Octets.command("PONG"), count: 70).flatMap(\.self),
                sentence: "a message exceeds the limit of 64 frames at byte \(first + 2 + 7 * 62)"),
        ]

    // MARK: - Ends

    private static let ends = [
        Peer(
            name: "a peer that closes at once", bytes: [],
            sentence: """
                the peer closed the connection within its handshake or a message after 0 bytes
                """,
            isClosed: true),
        Peer(
            name: "a peer that is killed within READY",
            bytes: Octets.dealerStart.dropLast(),
            sentence: """
                the peer closed the connection within its handshake or a message after \(first - 2) bytes
                """,
            isClosed: true),
        Peer(
            name: "ERROR", bytes: Octets.greeting() + Octets.command("ERROR", [2, 0x6E, 0x6F]),
            sentence: "the peer refused the connection with ERROR 'no' at byte 68"),
    ]

    @Test(arguments: peers)
    func `a hostile peer fails once, with the same sentence however its bytes arrive`(_ peer: Peer)
    {
        for piece in [1, 5, peer.bytes.count] where piece > 0 || peer.bytes.isEmpty {
            let receiver = Receiver(.router(peer.limits))
            var rest = peer.bytes[...]
            while !rest.isEmpty {
                receiver.receive(rest.prefix(piece))
                rest = rest.dropFirst(piece)
            }
            #expect((receiver.fault == nil) == peer.isClosed)
            if peer.isClosed {
                receiver.endOfStream()
            }
            #expect(receiver.fault?.description == peer.sentence)
            let failures = receiver.records.filter { record in
                if case .failed = record { true } else { false }
            }
            #expect(failures == [.failed(receiver.fault)])
            #expect(receiver.records.last == failures.last)
            #expect(receiver.messages.count <= 1)
            #expect(!receiver.isOpen)
        }
    }

    @Test(arguments: [0, 1, 10, 63]) func `a peer that falls silent in its greeting is timed out`(
        count: Int
    ) {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting().prefix(count))
        receiver.deadlinePassed(at: .seconds(10))
        #expect(
            receiver.fault?.description
                == "the handshake was not complete in time after 0 bytes")
    }

    @Test func `a slow peer is timed out although a byte of it arrives each second`() {
        let receiver = Receiver(.router)
        for (second, byte) in Octets.dealerStart.enumerated() where receiver.fault == nil {
            receiver.deadlinePassed(at: .seconds(second))
            receiver.receive(CollectionOfOne(byte))
        }
        #expect(receiver.fault?.reason == .handshakeTimeout)
        #expect(receiver.records.count == 2, "the greeting and one failure")
    }

    @Test func `commands without messages take no memory and are no fault`() {
        let receiver = Receiver(.router(ConnectionLimits(commandByteCount: 100)))
        receiver.receive(Octets.dealerStart)
        for number in 0..<10_000 {
            receiver.receive(Octets.command("Hello", [UInt8](repeating: 0, count: number % 50)))
        }
        #expect(receiver.fault == nil)
        #expect(receiver.messages.isEmpty)
        #expect(receiver.byteCountNeededMax <= 64)
    }

    @Test func `a routing ID in READY is reported and changes nothing else`() {
        let named = Receiver(.router)
        named.receive(Octets.greeting() + Octets.ready("DEALER", identity: [0, 0, 0, 0, 1]))
        let nameless = Receiver(.router)
        nameless.receive(Octets.dealerStart)
        #expect(named.records == nameless.records)
        #expect(named.peer?.identity == [0, 0, 0, 0, 1])
    }
}
