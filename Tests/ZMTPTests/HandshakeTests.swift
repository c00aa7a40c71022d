// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZMTP

@Suite struct HandshakeTests {
    // MARK: - Roles

    @Test func `a server sends READY after a valid READY, and then opens`() {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting())
        #expect(receiver.records.count == 1, "only the greeting")
        #expect(receiver.deadline != nil)
        receiver.receive(Octets.ready("DEALER"))
        #expect(
            receiver.records.dropFirst() == [.sent(ConnectionConfiguration.router.ready), .opened])
        #expect(receiver.isOpen)
        #expect(receiver.deadline == nil)
    }

    @Test func `a client sends READY after the greeting, and opens at the server's READY`() {
        let receiver = Receiver(.dealer)
        receiver.receive(Octets.greeting())
        #expect(
            receiver.records.dropFirst() == [.sent(ConnectionConfiguration.dealer.ready)])
        #expect(!receiver.isOpen)
        receiver.receive(Octets.ready("ROUTER") + Octets.message([[1], [2]]))
        #expect(receiver.records.dropFirst(2) == [.opened, .message([[1], [2]])])
        #expect(receiver.isOpen)
    }

    @Test func `two connections of this engine open each other`() {
        let server = Receiver(.router)
        let client = Receiver(
            ConnectionConfiguration(role: .client, socketType: .dealer, identity: [7, 0, 255]))
        var toServer = 0
        var toClient = 0
        while toServer < client.records.count || toClient < server.records.count {
            for case .sent(let bytes) in client.records.dropFirst(toServer) {
                server.receive(bytes)
            }
            toServer = client.records.count
            for case .sent(let bytes) in server.records.dropFirst(toClient) {
                client.receive(bytes)
            }
            toClient = server.records.count
        }
        #expect(server.records.last == .opened)
        #expect(client.records.last == .opened)
        #expect(server.peer?.identity == [7, 0, 255])
    }

    // MARK: - Metadata

    struct Refusal: Sendable {
        let metadata: [UInt8]
        let reason: Fault.Reason
        /// The offset of the byte in the metadata.
        let offset: Int
        var answer: String? = "Invalid-Metadata"
    }

    static let type = Octets.property("Socket-Type", Array("DEALER".utf8))

    static let refusals = [
        Refusal(
            metadata: [0], reason: .malformedMetadata("a name is empty"), offset: 0),
        Refusal(
            metadata: type + [4], reason: .malformedMetadata("a property is incomplete"),
            offset: type.count),
        Refusal(
            metadata: Octets.property("X-A", [1]).dropLast(2),
            reason: .malformedMetadata("a property is incomplete"), offset: 0),
        Refusal(
            metadata: Octets.property("X-A", [1, 2]).dropLast(),
            reason: .malformedMetadata("a value exceeds the command"), offset: 4),
        Refusal(
            metadata: [1, 0x41, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            reason: .malformedMetadata("a value exceeds the command"), offset: 2),
        Refusal(
            metadata: Octets.property("X A", [1]),
            reason: .malformedMetadata("a name contains an invalid byte"), offset: 2),
        Refusal(
            metadata: type + Octets.property("socket-type", Array("REQ".utf8)),
            reason: .malformedMetadata("a property occurs twice"), offset: type.count + 1),
        Refusal(
            metadata: Octets.property("Identity", []) + Octets.property("IDENTITY", [1]),
            reason: .malformedMetadata("a property occurs twice"), offset: 14),
        Refusal(
            metadata: Octets.property("Socket-Type", Array("PUB".utf8)),
            reason: .incompatibleSocketType("PUB"), offset: 16,
            answer: "Incompatible-Socket-Type"),
        Refusal(
            metadata: Octets.property("Socket-Type", Array("REP".utf8)),
            reason: .incompatibleSocketType("REP"), offset: 16,
            answer: "Incompatible-Socket-Type"),
        Refusal(
            metadata: Octets.property("Socket-Type", Array("dealer\n".utf8)),
            reason: .incompatibleSocketType("dealer\\x0A"), offset: 16,
            answer: "Incompatible-Socket-Type"),
        Refusal(
            metadata: Octets.property("Identity", [UInt8](repeating: 1, count: 256)),
            reason: .badIdentity, offset: 13, answer: "Invalid-Identity"),
        Refusal(
            metadata: (0..<33).flatMap { Octets.property("X-\($0)", []) },
            reason: .tooManyProperties(limit: 32), offset: 278),
    ]

    @Test(arguments: refusals)
    func `a READY with bad metadata is answered by ERROR and names the byte`(_ refusal: Refusal) {
        let receiver = Receiver(.router)
        let ready = Octets.command("READY", refusal.metadata)
        receiver.receive(Octets.greeting() + ready + Octets.message([[1]]))
        let dataStart = Greeting.byteCount + ready.count - refusal.metadata.count
        #expect(receiver.fault?.reason == refusal.reason)
        #expect(receiver.fault?.offset == UInt64(dataStart + refusal.offset))
        let answer = refusal.answer.map { Array($0.utf8) } ?? []
        let error = Octets.command("ERROR", [UInt8(answer.count)] + answer)
        #expect(receiver.records.dropFirst().first == .sent(error))
        #expect(receiver.records.count == 3, "the greeting, ERROR and one failure")
    }

    @Test func `a READY without metadata is accepted, because Socket-Type is optional`() {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting() + Octets.command("READY"))
        #expect(receiver.records.last == .opened)
        #expect(receiver.peer?.socketType == nil)
    }

    @Test func `a READY in a long frame and the longest identity are accepted`() {
        let identity = [UInt8](repeating: 0xFE, count: 255)
        let ready = Octets.ready("ROUTER", identity: identity)
        #expect(ready[0] == 6)
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting() + ready)
        #expect(receiver.records.last == .opened)
        #expect(receiver.peer?.identity == identity)
    }

    @Test func `an identity may begin with 0, as random ones of libzmq do`() {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting() + Octets.ready("DEALER", identity: [0, 1, 2, 3, 4]))
        #expect(receiver.records.last == .opened)
        #expect(receiver.peer?.identity == [0, 1, 2, 3, 4])
    }

    @Test(
        arguments: [SocketType.request, .reply, .dealer, .router],
        ["REQ", "REP", "DEALER", "ROUTER", "PAIR", "dealer", ""])
    func `socket types connect as the RFC allows`(own: SocketType, peer: String) {
        let legal: [SocketType: [String]] = [
            .request: ["REP", "ROUTER"], .reply: ["REQ", "DEALER"],
            .dealer: ["REP", "DEALER", "ROUTER"], .router: ["REQ", "DEALER", "ROUTER"],
        ]
        let receiver = Receiver(ConnectionConfiguration(role: .server, socketType: own))
        receiver.receive(Octets.greeting() + Octets.ready(peer))
        #expect(receiver.isOpen == legal[own]?.contains(peer))
    }

    // MARK: - Order of frames

    @Test func `a message before READY is refused without reading its body`() {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting() + [0, 200])
        #expect(receiver.fault == faultAt(64, .messageBeforeReady))
    }

    @Test(arguments: ["PING", "PONG", "SUBSCRIBE", "HELLO"])
    func `a command other than READY and ERROR is refused in the handshake`(name: String) {
        let receiver = Receiver(.router)
        receiver.receive(Octets.greeting() + Octets.command(name, [0, 0]))
        #expect(receiver.fault == faultAt(67, .unexpectedCommand(name)))
    }

    @Test func `a READY above the limit is refused by its header`() {
        let receiver = Receiver(.router(ConnectionLimits(commandByteCount: 40)))
        receiver.receive(Octets.greeting() + [4, 41])
        #expect(receiver.fault == faultAt(64, .commandTooLarge(byteCount: 41, limit: 40)))
        let accepted = Receiver(.router(ConnectionLimits(commandByteCount: 41)))
        accepted.receive(Octets.dealerStart)
        #expect(accepted.records.last == .opened)
    }

    @Test func `a second READY is refused`() {
        let receiver = Receiver(.router)
        receiver.receive(Octets.dealerStart + Octets.ready("DEALER"))
        #expect(receiver.fault?.reason == .unexpectedCommand("READY"))
    }

    // MARK: - Time and end

    @Test func `a handshake that is not complete at its deadline fails once`() {
        let receiver = Receiver(
            .router(ConnectionLimits(handshakeDuration: .milliseconds(200))))
        receiver.receive(Octets.greeting() + Octets.ready("DEALER").dropLast())
        #expect(receiver.deadline == .milliseconds(200))
        receiver.deadlinePassed(at: .milliseconds(199))
        #expect(receiver.fault == nil)
        receiver.deadlinePassed(at: .milliseconds(200))
        #expect(receiver.fault == faultAt(64, .handshakeTimeout))
        #expect(
            receiver.fault?.description
                == "the handshake was not complete in time after 64 bytes")
        receiver.deadlinePassed(at: .milliseconds(300))
        receiver.receive([0])
        #expect(receiver.records.count == 2)
        #expect(receiver.deadline == nil)
    }

    @Test func `the deadline counts from the beginning of the connection and ends with READY`() {
        let configuration = ConnectionConfiguration.router(
            ConnectionLimits(handshakeDuration: .seconds(2)))
        let deadline = Connection(configuration, at: .seconds(40)).deadline
        #expect(deadline == .seconds(42))
        let receiver = Receiver(configuration)
        receiver.receive(Octets.dealerStart)
        receiver.deadlinePassed(at: .seconds(100))
        #expect(receiver.isOpen)
    }

    @Test func `an end of the stream is a fault unless it is between two messages`() {
        let stream = Octets.dealerStart + Octets.message([[1], [2]]) + Octets.command("PONG")
        let opened = Octets.dealerStart.count
        let boundaries = [opened, stream.count - 7, stream.count]
        for count in 0...stream.count {
            let receiver = Receiver(.router)
            receiver.receive(stream.prefix(count))
            receiver.endOfStream()
            let expected =
                boundaries.contains(count) ? nil : faultAt(count, .unexpectedEnd)
            #expect(receiver.fault == expected, "after \(count) bytes")
        }
    }
}

/// A fault as it counts from the first byte of the peer.
func faultAt(_ offset: Int, _ reason: Fault.Reason) -> Fault {
    Fault(reason, at: offset)
}
