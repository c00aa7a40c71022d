// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LocalTransport

/// Frames that the owner keeps for longer than their event.
@Suite struct KeepingTests {
    /// A transport that keeps frames, and has received a stream in pieces.
    private func received(_ stream: [UInt8], messageCount: Int) throws -> TestedTransport {
        let bus = try TestedTransport()
        bus.keepsFrames = true
        let peer = try RawPeer(bus.path)
        peer.write(RawPeer.start)
        try bus.run { bus.connected.count == 1 }
        var rest = stream[...]
        try bus.run(milliseconds: 10) {
            rest = rest.dropFirst(peer.write(rest.prefix(30_000)))
            return bus.messages.count == messageCount
        }
        // The memory is used again by another connection.
        let other = try RawPeer(bus.path)
        other.write(RawPeer.start + RawPeer.frame([UInt8](repeating: 0xEE, count: 50_000)))
        try bus.run { bus.messages.count == messageCount + 1 }
        return bus
    }

    private func expectKept(_ bus: TestedTransport) {
        #expect(bus.kept.map { Array($0.bytes) } == bus.messages.flatMap(\.frames))
    }

    @Test func `a large frame at the end is kept without a copy`() throws {
        let large = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let bus = try received(RawPeer.frame(large), messageCount: 1)
        #expect(bus.messages[0].frames == [large])
        expectKept(bus)
        #expect(bus.kept[0].bytes.baseAddress == bus.receivedAddresses[0])
        #expect(bus.heldByteCount == 0)
        // It is sent as it is.
        bus.transport.send(
            UnsafeRawBufferPointer(start: nil, count: 0), bus.kept[0], from: 10,
            to: bus.connected[0])
        #expect(bus.waitingByteCount(of: bus.connected[0]) == 9 + 500_000 - 10)
    }

    @Test func `all frames of a message can be kept, one of them without a copy`() throws {
        let one = [UInt8](repeating: 1, count: 100_000)
        let two = [UInt8](repeating: 2, count: 200_000)
        let bus = try received(
            RawPeer.frame(one, hasMore: true) + RawPeer.frame([3], hasMore: true)
                + RawPeer.frame(two), messageCount: 1)
        #expect(bus.messages[0].frames == [one, [3], two])
        expectKept(bus)
        #expect(bus.kept[0].bytes.baseAddress != bus.receivedAddresses[0])
        #expect(bus.kept[2].bytes.baseAddress == bus.receivedAddresses[2])
    }

    // Its owner counts the bytes of the frame, and not those of the message.
    @Test func `a frame that is a small part of its message is copied`() throws {
        let small = [UInt8](repeating: 1, count: 70_000)
        let large = [UInt8](repeating: 2, count: 3_000_000)
        let bus = try received(
            RawPeer.frame(large, hasMore: true) + RawPeer.frame(small), messageCount: 1)
        expectKept(bus)
        #expect(bus.kept[0].bytes.baseAddress == bus.receivedAddresses[0])
        #expect(bus.kept[1].bytes.baseAddress != bus.receivedAddresses[1])
    }

    @Test func `small frames and frames that others follow are copied`() throws {
        let large = [UInt8](repeating: 4, count: 60_000)
        let stream = (0..<6).flatMap { RawPeer.frame(large + [UInt8($0)]) + RawPeer.frame([$0]) }
        let bus = try received(stream, messageCount: 12)
        expectKept(bus)
        for (kept, address) in zip(bus.kept, bus.receivedAddresses) {
            #expect(kept.bytes.baseAddress != address)
        }
        #expect(bus.heldByteCount == 0)
    }

    @Test func `messages that follow a kept one are read`() throws {
        let large = [UInt8](repeating: 5, count: 150_000)
        let stream = (0..<10).flatMap { RawPeer.frame(large) + RawPeer.frame([$0]) }
        let bus = try received(stream, messageCount: 20)
        expectKept(bus)
        #expect(
            bus.messages.prefix(20).map(\.frames[0].count)
                == (0..<10).flatMap { _ in [150_000, 1] })
        #expect(bus.disconnected.isEmpty)
    }

    @Test func `an empty frame can be kept`() throws {
        let bus = try received(RawPeer.frame([]), messageCount: 1)
        expectKept(bus)
        #expect(bus.kept[0].count == 0)
    }
}
