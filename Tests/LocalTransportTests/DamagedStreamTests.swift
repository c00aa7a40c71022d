// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Glibc
import Testing
import ZMTP
import ZeroMQ

@testable import LocalTransport

/// Random connections whose bytes are damaged, cut and broken off anywhere, beside one that is served.
@Suite struct DamagedStreamTests {
    @Test(arguments: 0..<20) func `damaged connections do not affect another connection`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let bus = try TestedTransport(
            .tested(
                limits: ZMTP.ConnectionLimits(
                    frameByteCount: 60_000, frameCount: 10, messageByteCount: 80_000),
                heldByteCountPerUser: 400_000))
        bus.onMessage = { bus, id, frames in
            bus.send(frames, to: id)
            // The owner closes connections at any time, not the first one.
            guard id != bus.connected.first else {
                return
            }
            switch generator.below(20) {
            case 0: bus.transport.close(id, at: bus.now)
            case 1: bus.transport.abort(id)
            default: break
            }
        }
        let served = try Dealer(bus.endpoint, in: Context())
        try bus.run { bus.connected.count == 1 }
        var peers: [(peer: RawPeer, rest: ArraySlice<UInt8>)] = []
        var answerCount = 0
        for round in 0..<300 {
            if peers.count < 12 {
                peers.append((try RawPeer(bus.path), Self.stream(&generator)[...]))
            }
            let index = generator.below(peers.count)
            let count = generator.pick([1, 3, 64, 1_000, 100_000])
            let written = peers[index].peer.write(peers[index].rest.prefix(count))
            peers[index].rest = peers[index].rest.dropFirst(written)
            if generator.isLucky(60) {
                _ = peers[index].peer.read()
            }
            if generator.isLucky(10) || peers[index].rest.isEmpty {
                peers.remove(at: index)
            }
            try #require(try served.send([[UInt8(round % 256)], [1, 2, 3]]))
            try bus.turn(milliseconds: 0)
        }
        peers = []
        try bus.run(or: [served.item], milliseconds: 100) {
            while let answer = try served.receive() {
                #expect(answer == [[UInt8(answerCount % 256)], [1, 2, 3]], "seed \(seed)")
                answerCount += 1
            }
            return answerCount == 300 && bus.connectionCount == 1
        }
        #expect(bus.heldByteCount == 0, "seed \(seed)")
        #expect(bus.waitingByteCount == 0, "seed \(seed)")
        #expect(bus.connected.count + bus.refused.count > 20)
        #expect(!bus.disconnected.isEmpty)
    }

    /// A handshake and messages, often damaged.
    private static func stream(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = RawPeer.start
        for _ in 0..<generator.below(40) {
            let size = generator.pick([0, 1, 200, 300, 5_000, 50_000])
            bytes += RawPeer.frame(
                [UInt8](repeating: UInt8(generator.below(256)), count: size),
                hasMore: generator.isLucky(20))
            if generator.isLucky(20) {
                bytes += [4, 7, 4] + Array("PING".utf8) + [0, 0]
            }
        }
        if generator.isLucky(60) {
            let index = generator.below(bytes.count)
            switch generator.below(3) {
            case 0: bytes[index] ^= 1 << UInt8(generator.below(8))
            case 1: bytes.removeLast(bytes.count - index - 1)
            default: bytes.insert(UInt8(generator.below(256)), at: index)
            }
        }
        return bytes
    }
}
