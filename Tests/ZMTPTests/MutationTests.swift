// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZMTP

/// Valid streams with random damage. The engine must not trap, the receiver must store no more than
/// the limits allow (it checks that itself), and the reads must not change the events.
@Suite struct MutationTests {
    private static let limits = ConnectionLimits(
        commandByteCount: 1_000, propertyCount: 4, frameByteCount: 4_000, frameCount: 6,
        messageByteCount: 6_000)

    private static let configurations = [
        ConnectionConfiguration.router(limits),
        ConnectionConfiguration(role: .client, socketType: .dealer, limits: limits),
    ]

    @Test(arguments: 0..<20) func `damaged streams give the same events in any pieces`(seed: UInt64)
    {
        var generator = SeededGenerator(seed: seed)
        var failureCount = 0
        for _ in 0..<50 {
            let bytes = Self.damaged(RandomStream(&generator, messageCount: 8), &generator)
            let configuration = generator.pick(Self.configurations)
            let whole = Receiver(configuration)
            whole.receive(bytes)
            let pieces = Receiver(configuration, keepsConsumed: generator.isLucky(50))
            for piece in bytes.pieces(&generator) {
                pieces.receive(piece)
            }
            whole.endOfStream()
            pieces.endOfStream()
            #expect(pieces.records == whole.records, "seed \(seed)")
            if let fault = whole.fault {
                failureCount += 1
                #expect(fault.offset <= UInt64(bytes.count), "seed \(seed)")
                #expect(!fault.description.isEmpty)
                #expect(whole.records.last == .failed(fault), "seed \(seed)")
            }
        }
        // Much of the damage must cause a failure.
        #expect(failureCount > 10, "seed \(seed)")
    }

    @Test(arguments: 0..<10)
    func `random bytes after the handshake give the same events in any pieces`(seed: UInt64) {
        var generator = SeededGenerator(seed: 7_000 + seed)
        for _ in 0..<100 {
            // Most flags are valid, so that many frames are reached.
            let noise = (0..<generator.below(400)).map { _ in
                UInt8(generator.isLucky(80) ? generator.below(8) : generator.below(256))
            }
            let receiver = Receiver(Self.configurations[0])
            receiver.receive(Octets.dealerStart)
            for piece in noise.pieces(&generator) {
                receiver.receive(piece)
            }
            receiver.endOfStream()
            let whole = Receiver.records(of: Octets.dealerStart + noise, Self.configurations[0])
            let isEnd = receiver.fault?.reason == .unexpectedEnd
            #expect(receiver.records.dropLast(isEnd ? 1 : 0) == whole[...], "seed \(seed)")
        }
    }

    // MARK: - Damage

    private static func damaged(
        _ stream: RandomStream, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = stream.bytes
        for _ in 0..<1 + generator.below(3) {
            let index = generator.below(bytes.count)
            switch generator.below(8) {
            case 0:
                bytes[index] ^= 1 << UInt8(generator.below(8))
            case 1:
                bytes[index] = generator.pick([0, 1, 4, 6, 0x7F, 0x80, 0xFF])
            case 2:
                bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: index)
            case 3:
                bytes.remove(at: index)
            case 4:
                bytes.removeLast(min(bytes.count - 1, generator.below(50)))
            case 5:
                let end = min(bytes.count, index + generator.below(100))
                bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
            default:
                damageHeader(&bytes, stream, &generator)
            }
        }
        return bytes
    }

    /// Changes the flags or the size of a frame, so that the frame lies about its body.
    private static func damageHeader(
        _ bytes: inout [UInt8], _ stream: RandomStream, _ generator: inout SeededGenerator
    ) {
        let start = generator.pick(stream.frameStarts)
        guard start + 1 < bytes.count else {
            return
        }
        if generator.isLucky(50) {
            bytes[start] = UInt8(generator.below(8))
        } else {
            bytes[start + 1] = generator.pick([0, 1, 0x7F, 0x80, 0xFF])
        }
    }
}
