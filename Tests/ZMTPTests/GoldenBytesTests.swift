// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

/// The bytes that libzmq 4.3.4 of Debian 12 sends, recorded from its sockets.
///
/// The other end of the connection was a plain unix socket. It wrote the greeting of ZMTP 3.1 (or 3.0)
/// and a READY by hand, and printed all bytes that came from the socket of libzmq.
enum Recorded {
    static let greeting = [UInt8](
        hexadecimal: """
            ff00000000000000017f 03 01
            4e554c4c00000000000000000000000000000000 00
            00000000000000000000000000000000000000000000000000000000000000
            """)

    /// The padding holds the length of the identity plus 1.
    static let greetingWithIdentity = [UInt8](
        hexadecimal: """
            ff00000000000000097f 03 01
            4e554c4c00000000000000000000000000000000 00
            00000000000000000000000000000000000000000000000000000000000000
            """)

    static let readyOfDealer = [UInt8](
        hexadecimal: """
            0429 055245414459 0b536f636b65742d54797065 00000006 4445414c4552
            084964656e74697479 00000000
            """)

    /// A DEALER whose identity is `worker-1`.
    static let readyOfDealerWithIdentity = [UInt8](
        hexadecimal: """
            0431 055245414459 0b536f636b65742d54797065 00000006 4445414c4552
            084964656e74697479 00000008 776f726b65722d31
            """)

    /// A DEALER with the property `X-Team: blue`.
    static let readyOfDealerWithProperty = [UInt8](
        hexadecimal: """
            0438 055245414459 0b536f636b65742d54797065 00000006 4445414c4552
            084964656e74697479 00000000 06582d5465616d 00000004 626c7565
            """)

    static let readyOfRouter = [UInt8](
        hexadecimal: """
            0429 055245414459 0b536f636b65742d54797065 00000006 524f55544552
            084964656e74697479 00000000
            """)

    static let readyOfRequest = [UInt8](
        hexadecimal: """
            0426 055245414459 0b536f636b65742d54797065 00000003 524551
            084964656e74697479 00000000
            """)

    static let readyOfSubscriber = [UInt8](
        hexadecimal: "0419 055245414459 0b536f636b65742d54797065 00000003 535542")

    /// A ROUTER whose authenticator answered 400.
    static let error = [UInt8](hexadecimal: "040a 054552524f52 03 343030")

    /// `ZMQ_HEARTBEAT_TTL` was 5,000 ms.
    static let ping = [UInt8](hexadecimal: "0407 0450494e47 0032")

    /// The answer to a PING with the context `ab`.
    static let pong = [UInt8](hexadecimal: "0407 04504f4e47 6162")

    /// The subscription `abc`, to a peer of ZMTP 3.1.
    static let subscribe = [UInt8](hexadecimal: "040d 09535542534352494245 616263")

    /// Messages of a DEALER, and their frames.
    static let messages: [(bytes: [UInt8], frames: [[UInt8]])] = [
        ([UInt8](hexadecimal: "0000"), [[]]),
        ([UInt8](hexadecimal: "0005 68656c6c6f"), [Array("hello".utf8)]),
        (
            [UInt8](hexadecimal: "0101 61 0100 0002 6263"),
            [Array("a".utf8), [], Array("bc".utf8)]
        ),
        (
            [UInt8](hexadecimal: "00ff") + [UInt8](repeating: 0x78, count: 255),
            [[UInt8](repeating: 0x78, count: 255)]
        ),
        (
            [UInt8](hexadecimal: "02 0000000000000100") + [UInt8](repeating: 0x79, count: 256),
            [[UInt8](repeating: 0x79, count: 256)]
        ),
        (
            [UInt8](hexadecimal: "0100 03 0000000000000100") + [UInt8](repeating: 0x7A, count: 256)
                + [UInt8](hexadecimal: "0003 656e64"),
            [[], [UInt8](repeating: 0x7A, count: 256), Array("end".utf8)]
        ),
    ]
}

@Suite struct GoldenBytesTests {
    // MARK: - From libzmq

    @Test func `a DEALER of libzmq opens a connection to a ROUTER`() {
        let receiver = Receiver(.router)
        receiver.receive(Recorded.greetingWithIdentity + Recorded.readyOfDealerWithIdentity)
        #expect(receiver.records.last == .opened)
        #expect(receiver.peer?.version == .version3Point1)
        #expect(receiver.peer?.socketType == .dealer)
        #expect(receiver.peer?.identity == Array("worker-1".utf8))
        #expect(receiver.peer?.properties == [])
    }

    @Test func `a property of a DEALER of libzmq is found regardless of case`() {
        let receiver = Receiver(.router)
        receiver.receive(Recorded.greeting + Recorded.readyOfDealerWithProperty)
        #expect(receiver.records.last == .opened)
        #expect(receiver.peer?.value(of: "x-team") == Array("blue".utf8))
        #expect(receiver.peer?.value(of: "X-Tea") == nil)
    }

    @Test func `a REQ of libzmq opens a connection to a ROUTER, and a ROUTER to a DEALER`() {
        let router = Receiver(.router)
        router.receive(Recorded.greeting + Recorded.readyOfRequest)
        #expect(router.records.last == .opened)
        #expect(router.peer?.socketType == .request)
        let dealer = Receiver(.dealer)
        dealer.receive(Recorded.greeting + Recorded.readyOfRouter)
        #expect(dealer.records.last == .opened)
        #expect(dealer.peer?.socketType == .router)
    }

    @Test func `messages of libzmq are received as they were sent`() {
        let receiver = Receiver(.router)
        receiver.receive(Recorded.greeting + Recorded.readyOfDealer)
        for message in Recorded.messages {
            receiver.receive(message.bytes)
            #expect(receiver.records.last == .message(message.frames))
        }
    }

    @Test func `PING of libzmq is answered by the bytes of its own PONG`() {
        let receiver = Receiver(.router)
        receiver.receive(Recorded.greeting + Recorded.readyOfDealer + Recorded.ping)
        #expect(receiver.records.last == .sent(Octets.command("PONG")))
        #expect(receiver.peerTimeToLive == .seconds(5))
        receiver.receive(Octets.command("PING", [0, 0] + Array("ab".utf8)))
        #expect(receiver.records.last == .sent(Recorded.pong))
        #expect(receiver.peerTimeToLive == nil)
        receiver.receive(Recorded.pong)
        #expect(receiver.records.last == .pong(Array("ab".utf8)))
    }

    @Test func `ERROR of libzmq ends the handshake of a client`() {
        let receiver = Receiver(.dealer)
        receiver.receive(Recorded.greeting + Recorded.error)
        #expect(receiver.fault?.reason == .refusedByPeer("400"))
        #expect(receiver.fault?.offset == 67)
        #expect(receiver.isOpen == false)
    }

    @Test func `SUB of libzmq and its SUBSCRIBE are refused`() {
        let receiver = Receiver(.router)
        receiver.receive(Recorded.greeting + Recorded.readyOfSubscriber)
        #expect(receiver.fault?.reason == .incompatibleSocketType("SUB"))
        let subscribed = Receiver(.router)
        subscribed.receive(Recorded.greeting + Recorded.readyOfDealer + Recorded.subscribe)
        #expect(subscribed.fault?.reason == .unexpectedCommand("SUBSCRIBE"))
    }

    // MARK: - As libzmq

    @Test func `the greeting is that of libzmq, with a padding of zeros`() {
        var expected = Recorded.greeting
        expected[8] = 0
        #expect(Receiver(.router).records == [.sent(expected)])
        #expect(Receiver(.dealer).records == [.sent(expected)])
    }

    @Test func `READY is that of libzmq`() {
        #expect(ConnectionConfiguration.dealer.ready == Recorded.readyOfDealer)
        #expect(ConnectionConfiguration.router.ready == Recorded.readyOfRouter)
        let named = ConnectionConfiguration(
            role: .client, socketType: .dealer, identity: Array("worker-1".utf8))
        #expect(named.ready == Recorded.readyOfDealerWithIdentity)
        let described = ConnectionConfiguration(
            role: .client, socketType: .dealer,
            properties: [Property(name: "X-Team", value: Array("blue".utf8))])
        #expect(described.ready == Recorded.readyOfDealerWithProperty)
    }

    @Test func `messages are encoded as libzmq encodes them`() {
        for message in Recorded.messages {
            #expect(encoded(message.frames) == message.bytes)
        }
    }

    @Test func `PING is that of libzmq`() throws {
        let receiver = Receiver(.dealer)
        receiver.receive(Recorded.greeting + Recorded.readyOfRouter)
        let ping = try #require(receiver.ping(timeToLive: 50))
        #expect(receiver.encoded(ping) == Recorded.ping)
    }
}

/// A message as the engine encodes it.
func encoded(_ bodies: [[UInt8]]) -> [UInt8] {
    bodies.enumerated().flatMap { index, body in
        let header = FrameHeader(bodyByteCount: body.count, hasMore: index < bodies.count - 1)
        let bytes = [UInt8](capacity: FrameHeader.byteCountMax) { header.encode(into: &$0) }
        #expect(bytes.count == header.encodedByteCount)
        return bytes + body
    }
}
