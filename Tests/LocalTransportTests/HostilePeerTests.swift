// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZMTP
import ZeroMQ

@testable import LocalTransport

/// Peers that are broken, slow or hostile. Each is reported by one sentence, and other peers are served.
@Suite struct HostilePeerTests {
    /// Bytes that end a connection, and the sentence about it.
    static let refusals: [(bytes: [UInt8], sentence: String)] = [
        (
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
            """
            the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x47), and ZMTP 3.0 or \
            later is required at byte 1
            """
        ),
        (
            [0x16, 3, 1, 2, 0, 1],
            """
            the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x16), and ZMTP 3.0 or \
            later is required at byte 1
            """
        ),
        (
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 5, 0, 0],
            "the peer speaks ZMTP 2.0, and 3.0 or later is required at byte 11"
        ),
        (
            RawPeer.greeting + [0, 1, 0x41],
            "the peer sent a message before READY at byte 65"
        ),
        (
            RawPeer.greeting + [4, 5, 5] + Array("HELLO".utf8).prefix(4),
            "a command has no valid name at byte 67"
        ),
    ]

    /// Expects that a DEALER of libzmq gets a message back.
    private func expectServed(_ bus: TestedTransport, _ dealer: Dealer) throws {
        bus.onMessage = TestedTransport.echo
        try #require(try dealer.send([[1], [2]]))
        var answer: [[UInt8]]?
        try bus.run(or: [dealer.item]) {
            answer = try dealer.receive() ?? answer
            return answer != nil
        }
        #expect(answer == [[1], [2]])
    }

    @Test(arguments: 0..<refusals.count)
    func `a peer of another protocol is refused, and others are served`(_ number: Int) throws {
        let bus = try TestedTransport()
        let dealer = try Dealer(bus.endpoint, in: Context())
        try expectServed(bus, dealer)
        let peer = try RawPeer(bus.path)
        peer.write(Self.refusals[number].bytes)
        try bus.run { !bus.refused.isEmpty }
        #expect(bus.refused.map(\.description) == [Self.refusals[number].sentence])
        #expect(bus.refusedCredentials.map(\.processID) == [UInt32(getpid())])
        #expect(bus.refusedCredentials.map(\.userID) == [geteuid()])
        #expect(peer.read().count == RawPeer.answerByteCount - 43)
        #expect(peer.isAtEnd)
        try expectServed(bus, dealer)
        #expect(bus.connected.count == 1)
        #expect(bus.connectionCount == 1)
    }

    @Test func `an incompatible socket type is answered by ERROR`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        var ready = RawPeer.ready
        ready.replaceSubrange(ready.count - 6..<ready.count, with: Array("PUBLIS".utf8))
        peer.write(RawPeer.greeting + ready)
        try bus.run { !bus.refused.isEmpty }
        let error = peer.read().dropFirst(64)
        #expect(
            String(decoding: error.dropFirst(2), as: UTF8.self)
                == "\u{5}ERROR\u{18}Incompatible-Socket-Type")
        #expect(peer.isAtEnd)
    }

    @Test func `a peer may send each byte alone`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        let stream =
            RawPeer.start + RawPeer.frame([1], hasMore: true)
            + RawPeer.frame([UInt8](repeating: 2, count: 300)) + RawPeer.frame([3])
        for byte in stream {
            peer.write([byte])
            try bus.settle()
        }
        #expect(bus.messages.map(\.frames) == [[[1], [UInt8](repeating: 2, count: 300)], [[3]]])
        #expect(bus.turnCount >= stream.count)
    }

    @Test(arguments: [0, 1, 70]) func `a peer that falls silent in its handshake is timed out`(
        count: Int
    ) throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start.prefix(count))
        try bus.settle()
        #expect(bus.connectionCount == 1)
        let deadline = try #require(bus.nextDeadline)
        #expect(deadline <= bus.now + .seconds(10))
        bus.skippedTime = .seconds(11)
        try bus.settle()
        #expect(
            bus.refused.map(\.description) == [
                "the handshake was not complete in time after \(count >= 64 ? 64 : 0) bytes"
            ])
        #expect(bus.connectionCount == 0)
        #expect(bus.nextDeadline == nil)
        _ = peer.read()
        #expect(peer.isAtEnd)
    }

    @Test func `a peer that is killed between two bytes of a message is reported`() throws {
        let bus = try TestedTransport()
        var peer: RawPeer? = try RawPeer(bus.path)
        peer?.write(RawPeer.start + RawPeer.frame([1]) + RawPeer.frame([2, 3]).dropLast())
        peer = nil
        try bus.run { !bus.disconnected.isEmpty }
        #expect(bus.messages.map(\.frames) == [[[1]]])
        let count = RawPeer.start.count + 3 + 3
        #expect(
            bus.disconnected.map(\.reason.description) == [
                "the peer closed the connection within its handshake or a message after \(count) bytes"
            ])
        #expect(peer == nil)
    }

    @Test func `messages that a peer wrote before it closed are delivered`() throws {
        let bus = try TestedTransport()
        var peer: RawPeer? = try RawPeer(bus.path)
        let count = 3_000
        let stream = RawPeer.start + (0..<count).flatMap { RawPeer.frame([UInt8($0 % 256)]) }
        try #require(peer?.write(stream) == stream.count)
        peer = nil
        try bus.run { !bus.disconnected.isEmpty }
        #expect(bus.messages.map(\.frames) == (0..<count).map { [[UInt8($0 % 256)]] })
        #expect(bus.disconnected.map(\.reason) == [.closedByPeer])
        #expect(bus.messagesPerTurnMax == TransportConfiguration.tested().framesPerTurn)
        #expect(peer == nil)
    }

    @Test func `a frame takes memory for the bytes received, not for those announced`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(
            RawPeer.start + [2]
                + withUnsafeBytes(of: UInt64(16_000_000).bigEndian) { Array($0) } + [1, 2, 3])
        try bus.run { bus.connected.count == 1 }
        try bus.settle()
        #expect((1...2_048).contains(bus.heldByteCount))
        peer.write([2] + [UInt8](repeating: 0, count: 100_000))
        try bus.settle()
        #expect((100_000...210_000).contains(bus.heldByteCount))
        bus.transport.abort(bus.connected[0])
        try bus.settle()
        #expect(bus.heldByteCount == 0)
        #expect(bus.connectionCount == 0)
    }

    @Test func `a frame above the limit ends the connection by its header`() throws {
        let bus = try TestedTransport(
            .tested(limits: ZMTP.ConnectionLimits(frameByteCount: 1_000)))
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start + RawPeer.frame([UInt8](repeating: 1, count: 1_001)).prefix(9))
        try bus.run { !bus.disconnected.isEmpty }
        #expect(
            bus.disconnected.map(\.reason.description) == [
                "a frame of 1001 bytes exceeds the limit of 1000 at byte \(RawPeer.start.count + 1)"
            ])
    }

    @Test func `the unfinished messages of a user are limited together`() throws {
        let bus = try TestedTransport(.tested(heldByteCountPerUser: 300_000))
        let peers = try (0..<8).map { _ in try RawPeer(bus.path) }
        let beginning =
            RawPeer.start + RawPeer.frame([UInt8](repeating: 1, count: 1_000_000)).prefix(60_000)
        for peer in peers {
            peer.write(beginning)
            try bus.settle()
            #expect(bus.heldByteCount <= 300_000)
        }
        #expect(!bus.disconnected.isEmpty)
        #expect(
            bus.disconnected.allSatisfy { $0.reason == .tooManyHeldBytes(limit: 300_000) })
        #expect(bus.connectionCount == 8 - bus.disconnected.count)
        #expect(bus.connectionCount >= 2)
    }

    @Test func `the unfinished messages of all users are limited, and the largest one ends`() throws
    {
        let bus = try TestedTransport(.tested(heldByteCountTotal: 300_000))
        let sizes = [20_000, 59_000, 30_000, 40_000, 25_000, 50_000, 35_000, 45_000]
        let peers = try sizes.map { _ in try RawPeer(bus.path) }
        for (peer, size) in zip(peers, sizes) {
            peer.write(
                RawPeer.start
                    + RawPeer.frame([UInt8](repeating: 1, count: 1_000_000)).prefix(size))
            try bus.settle()
            #expect(bus.heldByteCount <= 300_000)
        }
        // The last message makes 304,000 bytes of them.
        #expect(bus.disconnected.map(\.id) == [bus.connected[1]])
        #expect(bus.disconnected.map(\.reason) == [.tooManyHeldBytesInTotal(limit: 300_000)])
        #expect(bus.connectionCount == 7)
    }

    @Test func `a peer with a small message stays when another one holds too much`() throws {
        let bus = try TestedTransport(.tested(heldByteCountPerUser: 300_000))
        let holders = try (0..<5).map { _ in try RawPeer(bus.path) }
        for peer in holders {
            peer.write(
                RawPeer.start
                    + RawPeer.frame([UInt8](repeating: 1, count: 1_000_000)).prefix(59_900))
            try bus.settle()
        }
        #expect(bus.disconnected.isEmpty)
        // It sends its greeting, and then a message, in pieces.
        let modest = try RawPeer(bus.path)
        let stream = RawPeer.start + RawPeer.frame([7, 8, 9])
        for piece in [stream[..<20], stream[20..<90], stream[90..<(stream.count - 1)]] {
            modest.write(piece)
            try bus.settle()
        }
        modest.write(stream.suffix(1))
        try bus.run { bus.messages.count == 1 }
        #expect(bus.disconnected.isEmpty)
        // The next of the holders to send more is the one that exceeds the limit.
        holders[2].write([UInt8](repeating: 1, count: 60_000))
        try bus.run { !bus.disconnected.isEmpty }
        #expect(bus.disconnected.map(\.id) == [bus.connected[2]])
    }

    @Test func `waiting messages of many peers of one user end no connection`() throws {
        let bus = try TestedTransport(.tested(heldByteCountPerUser: 100_000))
        let peers = try (0..<8).map { _ in try RawPeer(bus.path) }
        let messages = (0..<300).flatMap { _ in RawPeer.frame([UInt8](repeating: 1, count: 62)) }
        for peer in peers {
            peer.write(RawPeer.start + messages)
        }
        try bus.run { bus.messages.count == 8 * 300 }
        #expect(bus.disconnected.isEmpty)
    }

    @Test func `a peer that no longer receives is ended when it is sent a message`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        #expect(shutdown(peer.descriptor, Int32(SHUT_RD)) == 0)
        try bus.settle()
        bus.send([[1]], to: bus.connected[0])
        try bus.run { bus.disconnected.count == 1 }
        #expect(bus.connectionCount == 0)
    }

    @Test func `a turn ends although only commands arrive`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        let command: [UInt8] = [4, 2, 1, 0x41]
        peer.write([[UInt8]](repeating: command, count: 10_000).flatMap(\.self))
        let before = bus.turnCount
        try bus.settle()
        #expect(bus.turnCount - before >= 10_000 / Transport.stepsPerTurn)
        peer.write(RawPeer.frame([1]))
        try bus.run { bus.messages.count == 1 }
        #expect(bus.disconnected.isEmpty)
        #expect(bus.unknownCommands == ["A"])
    }

    @Test func `unknown commands of each connection are reported once`() throws {
        let bus = try TestedTransport()
        let peers = try (0..<2).map { _ in try RawPeer(bus.path) }
        let commands: [UInt8] = [4, 3, 2, 0x41, 0x42, 4, 2, 1, 0x43]
        for peer in peers {
            peer.write(RawPeer.start + commands + RawPeer.frame([1]))
        }
        try bus.run { bus.messages.count == 2 }
        #expect(bus.unknownCommands == ["AB", "AB"])
        #expect(bus.disconnected.isEmpty)
    }
}
