// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

@testable import LocalTransport

/// The transport against DEALERs of libzmq.
@Suite struct LibzmqTests {
    /// The message of a number: its number and up to 3 frames of different sizes. Some are larger than
    /// all buffers.
    private static func message(_ number: Int) -> [[UInt8]] {
        let sizes = [0, 1, 100, 255, 256, 5_000]
        let bodies = (0..<number % 4).map { index in
            [UInt8](
                repeating: UInt8(truncatingIfNeeded: number + index),
                count: number % 500 == 1 ? 1_000_000 : sizes[(number + index) % sizes.count])
        }
        return [withUnsafeBytes(of: number.bigEndian) { Array($0) }] + bodies
    }

    @Test func `a DEALER gets 5,000 messages of all sizes back in order`() throws {
        let bus = try TestedTransport()
        bus.onMessage = TestedTransport.echo
        let dealer = try Dealer(bus.endpoint, in: Context(), heartbeatMilliseconds: 5)
        var sent = 0
        var returned = 0
        try bus.run(or: [dealer.item]) {
            while sent < 5_000, sent - returned < 200, try dealer.send(Self.message(sent)) {
                sent += 1
            }
            while let message = try dealer.receive() {
                try #require(message == Self.message(returned))
                returned += 1
            }
            return returned == 5_000
        }
        #expect(bus.disconnected.isEmpty)
        #expect(bus.messagesPerTurnMax <= TransportConfiguration.tested().framesPerTurn)
        #expect(bus.heldByteCount <= 2_100_000)
    }

    @Test func `100 DEALERs are served side by side and leave no connection behind`() throws {
        let bus = try TestedTransport()
        bus.onMessage = TestedTransport.echo
        let context = try Context()
        var dealers = try (0..<100).map { _ in try Dealer(bus.endpoint, in: context) }
        var returned = [Int](repeating: 0, count: dealers.count)
        for (index, dealer) in dealers.enumerated() {
            for number in 0..<50 {
                try #require(try dealer.send([[UInt8(index)], Array("\(number)".utf8)]))
            }
        }
        try bus.run(or: dealers.map(\.item)) {
            for (index, dealer) in dealers.enumerated() {
                while let message = try dealer.receive() {
                    #expect(message == [[UInt8(index)], Array("\(returned[index])".utf8)])
                    returned[index] += 1
                }
            }
            return returned.allSatisfy { $0 == 50 }
        }
        #expect(Set(bus.connected).count == 100)
        dealers = []
        try bus.run { bus.disconnected.count == 100 }
        #expect(bus.disconnected.allSatisfy { $0.reason == .closedByPeer })
        #expect(bus.connectionCount == 0)
        #expect(bus.heldByteCount == 0)
    }

    @Test func `16 DEALERs receive messages with a shared large part`() throws {
        let bus = try TestedTransport()
        let context = try Context()
        let dealers = try (0..<16).map { _ in try Dealer(bus.endpoint, in: context) }
        try bus.run { bus.connected.count == 16 }
        let large = [UInt8](repeating: 0xAB, count: 300_000)
        let shared = large.withUnsafeBytes { SharedBytes(copying: $0) }
        for (index, id) in bus.connected.enumerated() {
            let isSent = withUnsafeBytes(of: UInt8(index)) {
                bus.transport.send($0, shared, from: 100_000, to: id)
            }
            #expect(isSent)
            bus.send([[9]], to: id)
        }
        var received: [[[UInt8]]] = []
        try bus.run(or: dealers.map(\.item)) {
            for dealer in dealers {
                while let message = try dealer.receive() {
                    received.append(message)
                }
            }
            return received.count == 32
        }
        #expect(received.count { $0 == [[9]] } == 16)
        let firstBytes = received.compactMap { $0[0].count == 200_001 ? $0[0][0] : nil }
        #expect(Set(firstBytes) == Set(0..<16))
    }

    @Test func `DEALERs that choose the same routing ID are two peers`() throws {
        let bus = try TestedTransport()
        bus.onMessage = TestedTransport.echo
        let context = try Context()
        let dealers = try (0..<2).map { _ in
            try Dealer(bus.endpoint, in: context, routingID: "same")
        }
        var answers: [Int: [[UInt8]]] = [:]
        for (index, dealer) in dealers.enumerated() {
            try #require(try dealer.send([[UInt8(index)]]))
        }
        try bus.run(or: dealers.map(\.item)) {
            for (index, dealer) in dealers.enumerated() {
                answers[index] = try dealer.receive() ?? answers[index]
            }
            return answers.count == 2
        }
        #expect(answers == [0: [[0]], 1: [[1]]])
        #expect(Set(bus.connected).count == 2)
    }

    @Test func `a DEALER that is refused because of a limit connects again`() throws {
        let bus = try TestedTransport(.tested(perUser: 1))
        bus.onMessage = TestedTransport.echo
        let context = try Context()
        var first: Dealer? = try Dealer(bus.endpoint, in: context)
        try bus.run { bus.connected.count == 1 }
        let second = try Dealer(bus.endpoint, in: context)
        try #require(try second.send([[2]]))
        try bus.run { bus.refused.count >= 2 }
        #expect(bus.refused.allSatisfy { $0 == .limit(.tooManyOfUser(limit: 1)) })
        first = nil
        var answer: [[UInt8]]?
        try bus.run(or: [second.item]) {
            answer = try second.receive()
            return answer != nil
        }
        #expect(answer == [[2]])
        #expect(first == nil)
    }

    @Test func `an orderly close writes all pending bytes`() throws {
        let bus = try TestedTransport()
        let dealer = try Dealer(bus.endpoint, in: Context())
        try bus.run { bus.connected.count == 1 }
        let large = [UInt8](repeating: 7, count: 4_000_000)
        bus.send([large], to: bus.connected[0])
        bus.send([[8]], to: bus.connected[0])
        bus.transport.stopListening()
        bus.transport.closeAll(at: bus.now)
        bus.send([[9]], to: bus.connected[0])
        var received: [[[UInt8]]] = []
        try bus.run(or: [dealer.item], milliseconds: 100) {
            while let message = try dealer.receive() {
                received.append(message)
            }
            return bus.connectionCount == 0 && received.count == 2
        }
        #expect(received == [[large], [[8]]])
        #expect(bus.disconnected.isEmpty)
    }
}
