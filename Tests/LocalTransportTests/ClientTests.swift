// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Glibc
import Testing
import ZMTP
import ZeroMQ

@testable import LocalTransport

/// Connections that are opened from here: to libzmq's ROUTER, and to a transport.
@Suite struct ClientTests {
    private static let dealer = ConnectionConfiguration(
        role: .client, socketType: .dealer, identity: Array("client".utf8))

    /// A ROUTER of libzmq that returns messages.
    private final class Router {
        let directory: TemporaryDirectory
        let socket: Socket

        init() throws {
            directory = try TemporaryDirectory()
            socket = try Socket(.router, in: Context())
            try socket.set(.receiveHighWaterMark, 0)
            try socket.set(.sendHighWaterMark, 0)
            try socket.bind("ipc://\(path)")
        }

        var path: String {
            "\(directory.path)/router.sock"
        }

        /// Sends the pending messages back.
        func echo() throws {
            var message = Message()
            while try socket.receive(into: &message) {
                var hasMore = message.hasMore
                let result = try socket.send(&message, more: hasMore)
                try #require(result == .sent)
                while hasMore {
                    let isReceived = try socket.receive(into: &message)
                    try #require(isReceived)
                    hasMore = message.hasMore
                    _ = try socket.send(&message, more: hasMore)
                }
            }
        }
    }

    @Test func `a ROUTER of libzmq returns 20,000 messages in order`() throws {
        let router = try Router()
        let bus = try TestedTransport()
        let id = try bus.transport.connect(to: router.path, Self.dealer, at: bus.now)
        var sent = 0
        var returned = 0
        bus.onMessage = { _, _, frames in
            let expected = [UInt8](repeating: UInt8(returned % 256), count: returned % 300)
            if frames != [expected, [1]] {
                Issue.record("message \(returned) is another one")
            }
            returned += 1
        }
        try bus.run(or: [.socket(router.socket)]) {
            try router.echo()
            while bus.connected == [id], sent < 20_000, sent - returned < 500 {
                bus.send([[UInt8](repeating: UInt8(sent % 256), count: sent % 300), [1]], to: id)
                sent += 1
            }
            return returned == 20_000
        }
        #expect(bus.disconnected.isEmpty)
        bus.transport.close(id, at: bus.now)
        try bus.settle()
        #expect(bus.connectionCount == 0)
    }

    @Test func `libzmq answers each of 500 connections, of which 20 are open at a time`() throws {
        let router = try Router()
        let bus = try TestedTransport()
        let nameless = ConnectionConfiguration(role: .client, socketType: .dealer)
        var openedCount = 0
        var greetedCount = 0
        var answered: Set<ConnectionID> = []
        bus.onMessage = { bus, id, frames in
            #expect(frames == [Array("\(id.index)".utf8)])
            answered.insert(id)
            bus.transport.close(id, at: bus.now)
        }
        try bus.run(or: [.socket(router.socket)]) {
            try router.echo()
            while openedCount < 500, bus.connectionCount < 20 {
                _ = try bus.transport.connect(to: router.path, nameless, at: bus.now)
                openedCount += 1
            }
            // Each sends as soon as it may.
            for id in bus.connected[greetedCount...] {
                bus.send([Array("\(id.index)".utf8)], to: id)
            }
            greetedCount = bus.connected.count
            return answered.count == 500 && bus.connectionCount == 0
        }
        #expect(bus.disconnected.isEmpty)
        #expect(bus.connected.count == 500)
    }

    @Test func `two transports exchange messages of all sizes`() throws {
        let server = try TestedTransport()
        server.onMessage = TestedTransport.echo
        let client = try TestedTransport()
        let id = try client.transport.connect(to: server.path, Self.dealer, at: client.now)
        let sizes = [0, 1, 255, 256, 16_383, 16_384, 65_536, 3_000_000, 5]
        var sent = false
        let end = ContinuousClock.now + .seconds(30)
        while client.messages.count < sizes.count {
            try #require(ContinuousClock.now < end)
            try client.turn(milliseconds: 0)
            if client.connected == [id], !sent {
                sent = true
                for size in sizes {
                    client.send([[UInt8](repeating: 9, count: size)], to: id)
                }
            }
            try server.turn(milliseconds: 0)
        }
        #expect(client.messages.map(\.frames[0].count) == sizes)
        #expect(server.credentials(of: server.connected[0])?.processID == UInt32(getpid()))
        server.transport.closeAll(at: server.now)
        try server.settle()
        try client.run { !client.disconnected.isEmpty }
        #expect(client.disconnected.map(\.id) == [id])
        #expect(client.disconnected.map(\.reason) == [.closedByPeer])
    }

    @Test func `a refused connection is reported as disconnected, and a missing listener thrown`()
        throws
    {
        let server = try TestedTransport(.tested(perUser: 1))
        let client = try TestedTransport()
        let first = try client.transport.connect(to: server.path, Self.dealer, at: client.now)
        let second = try client.transport.connect(to: server.path, Self.dealer, at: client.now)
        try client.turn(milliseconds: 0)
        try server.settle()
        try client.run { !client.disconnected.isEmpty }
        #expect(client.disconnected.map(\.id) == [second])
        try server.settle()
        try client.run { client.connected == [first] }
        server.transport.stopListening()
        do {
            _ = try client.transport.connect(to: server.path, Self.dealer, at: client.now)
            Issue.record("a connection to nothing is opened")
        } catch {
            #expect(error.code == ENOENT)
            #expect(
                error.description == "cannot connect to \(server.path): No such file or directory")
        }
    }

    @Test func `a connection to a server that never answers times out`() throws {
        let bus = try TestedTransport()
        let directory = try TemporaryDirectory()
        let silent = try Listener(path: "\(directory.path)/silent.sock")
        let id = try bus.transport.connect(
            to: "\(directory.path)/silent.sock", Self.dealer, at: bus.now)
        try bus.settle()
        bus.skippedTime = .seconds(11)
        try bus.settle()
        #expect(bus.disconnected.map(\.id) == [id])
        #expect(
            bus.disconnected.map(\.reason.description) == [
                "the handshake was not complete in time after 0 bytes"
            ])
        _ = consume silent
    }
}
