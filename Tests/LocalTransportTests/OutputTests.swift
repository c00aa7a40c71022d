// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

@testable import LocalTransport

@Suite struct OutputTests {
    @Test func `bytes for a reader that stops are counted and arrive in order when it reads`()
        throws
    {
        let bus = try TestedTransport()
        let stopped = try RawPeer(bus.path)
        stopped.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        let id = bus.connected[0]
        let dealer = try Dealer(bus.endpoint, in: Context())
        try bus.run { bus.connected.count == 2 }
        #expect(stopped.read().count == RawPeer.answerByteCount)
        var expected: [UInt8] = []
        for number in 0..<1_000 {
            let body = [UInt8](repeating: UInt8(number % 251), count: number % 7 * 500)
            expected += RawPeer.frame(body)
            bus.send([body], to: id)
            bus.send([[UInt8(number % 251)]], to: bus.connected[1])
            try bus.turn(milliseconds: 0)
        }
        let waiting = bus.waitingByteCount(of: id)
        // The kernel has taken some of them, and no more is written.
        #expect(waiting > 1_000_000 && waiting < expected.count)
        #expect(bus.waitingByteCount == waiting)
        var receivedCount = 0
        try bus.run(or: [dealer.item]) {
            while let message = try dealer.receive() {
                #expect(message == [[UInt8(receivedCount % 251)]])
                receivedCount += 1
            }
            return receivedCount == 1_000
        }
        #expect(bus.waitingByteCount(of: id) == waiting)
        var received: [UInt8] = []
        try bus.run {
            received += stopped.read()
            return bus.waitingByteCount(of: id) == 0
        }
        received += stopped.read()
        #expect(received == expected)
        try bus.settle()
        #expect(bus.waitingByteCount == 0)
    }

    @Test func `an error of a write tells whether the socket will be reported as writable`() {
        #expect(OutputQueue.FlushResult(failure: EINTR) == nil)
        #expect(OutputQueue.FlushResult(failure: EAGAIN) == .blocked)
        #expect(OutputQueue.FlushResult(failure: ENOBUFS) == .starved)
        #expect(OutputQueue.FlushResult(failure: ENOMEM) == .starved)
        #expect(OutputQueue.FlushResult(failure: EPIPE) == .broken)
    }

    @Test func `output for which the kernel has no memory is written after a pause`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        try bus.settle()
        _ = peer.read()
        let id = bus.connected[0]
        bus.send([[1]], to: id)
        let pointer = bus.transport.table[id]
        let connection = try #require(pointer)
        // As the flush of this turn would, if the kernel had no memory.
        bus.transport.unflushed = []
        connection.pointee.isUnflushed = false
        let now = bus.now
        bus.transport.flushed(id, connection, .starved, at: now)
        #expect(!connection.pointee.interest.contains(.writable))
        #expect(bus.transport.blocked == [id])
        #expect(bus.nextDeadline == now + .milliseconds(100))
        #expect(!bus.hasWork)
        bus.transport.wait(until: now, at: now)
        #expect(bus.transport.next(at: now) == nil)
        #expect(!bus.hasWork)
        bus.skippedTime = .milliseconds(101)
        try bus.settle()
        #expect(peer.read() == RawPeer.frame([1]))
        #expect(bus.waitingByteCount == 0)
        #expect(bus.nextDeadline == nil)
    }

    @Test func `connections with much to read take turns`() throws {
        let bus = try TestedTransport()
        let peers = try (0..<3).map { _ in try RawPeer(bus.path) }
        for peer in peers {
            peer.write(RawPeer.start + (0..<2_000).flatMap { _ in RawPeer.frame([7]) })
        }
        var order: [ConnectionID] = []
        bus.onMessage = { _, id, _ in order.append(id) }
        try bus.run { order.count == 6_000 }
        // Each connection had its second turn before any had all of its turns.
        let firstEnd = bus.connected.compactMap { order.lastIndex(of: $0) }.min() ?? 0
        for id in bus.connected {
            let count = order[...firstEnd].count { $0 == id }
            #expect(count >= 2 * Transport.framesPerConnection)
        }
    }

    @Test func `nothing is sent to a connection that has ended or was closed`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.greeting)
        try bus.settle()
        peer.write(RawPeer.ready)
        try bus.run { bus.connected.count == 1 }
        let id = bus.connected[0]
        #expect(bus.send([[1]], to: id))
        bus.transport.close(id, at: bus.now)
        #expect(!bus.send([[1]], to: id))
        try bus.settle()
        #expect(bus.credentials(of: id) == nil)
        bus.transport.release(id)
        let later = try RawPeer(bus.path)
        later.write(RawPeer.start)
        try bus.run { bus.connected.count == 2 }
        #expect(bus.connected[1].index == id.index)
        #expect(!bus.send([[1]], to: id))
        bus.transport.abort(id)
        try bus.settle()
        #expect(bus.connectionCount == 1)
    }

    @Test func `a connection that is closed while its message is read keeps the message`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        let large = [UInt8](repeating: 5, count: 150_000)
        var received: [[[UInt8]]] = []
        bus.onMessage = { bus, id, frames in
            received.append(frames)
            bus.transport.abort(id)
        }
        var rest = (RawPeer.start + RawPeer.frame(large) + RawPeer.frame([6]))[...]
        try bus.run(milliseconds: 10) {
            rest = rest.dropFirst(peer.write(rest))
            return !received.isEmpty
        }
        try bus.settle()
        #expect(received == [[large]])
        #expect(bus.connectionCount == 0)
        #expect(bus.disconnected.isEmpty)
    }

    @Test func `a closed connection whose peer does not read is removed after the linger time`()
        throws
    {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        bus.send([[UInt8](repeating: 1, count: 1_000_000)], to: bus.connected[0])
        bus.transport.close(bus.connected[0], at: bus.now)
        try bus.settle()
        #expect(bus.connectionCount == 1)
        #expect(bus.waitingByteCount > 500_000)
        let unwritten = bus.waitingByteCount
        #expect(bus.unwrittenByteCounts.isEmpty)
        bus.skippedTime = .milliseconds(501)
        try bus.settle()
        #expect(bus.connectionCount == 0)
        #expect(bus.waitingByteCount == 0)
        #expect(bus.unwrittenByteCounts == [unwritten])
    }

    @Test func `a closed connection whose peer reads gets all that was sent`() throws {
        let bus = try TestedTransport()
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        let body = [UInt8](repeating: 1, count: 1_000_000)
        for _ in 1...8 {
            bus.send([body], to: bus.connected[0])
        }
        bus.transport.close(bus.connected[0], at: bus.now)
        // No time passes: the linger time never ends.
        let now = bus.now
        var received = 0
        while bus.connectionCount > 0 {
            bus.transport.wait(until: now, at: now)
            #expect(bus.transport.next(at: now) == nil)
            bus.transport.flush(at: now)
            received += peer.read().count
        }
        received += peer.read().count
        #expect(received == RawPeer.answerByteCount + 8 * (9 + body.count))
        #expect(peer.isAtEnd)
    }
}
