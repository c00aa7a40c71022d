// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZMTP

/// The events of a stream do not depend on how it is cut into reads.
@Suite struct SplitTests {
    @Test func `a stream that is cut in two at any byte gives the same events`() {
        var stream = Octets.dealerStart
        for message in Recorded.messages {
            stream += message.bytes
        }
        stream += Octets.frame(flags: 1, [1]) + Recorded.ping + Octets.frame(flags: 0, [2])
        stream += Recorded.pong + Octets.command("Hello")
        let expected = Receiver.records(of: stream, .router)
        #expect(expected.count == 3 + Recorded.messages.count + 4)
        for cut in 0...stream.count {
            let receiver = Receiver(.router)
            receiver.receive(stream[..<cut])
            receiver.receive(stream[cut...])
            #expect(receiver.records == expected, "cut at \(cut)")
        }
    }

    @Test func `a stream of a server that is cut in two at any byte gives the same events`() {
        let traffic = Recorded.messages.flatMap(\.bytes) + Recorded.ping
        let ends = [
            Recorded.readyOfRouter + traffic, Recorded.error + traffic, Recorded.readyOfSubscriber,
            Recorded.readyOfRouter + traffic + Octets.command("ERROR", [2, 0x6E, 0x6F]),
            Recorded.readyOfRouter + traffic + [1, 1, 0, 0x80, 0],
        ]
        for stream in ends.map({ Recorded.greeting + $0 }) {
            let expected = Receiver.records(of: stream, .dealer)
            #expect(expected.count >= 3)
            for cut in 0...stream.count {
                let receiver = Receiver(.dealer)
                receiver.receive(stream[..<cut])
                receiver.receive(stream[cut...])
                #expect(receiver.records == expected, "cut at \(cut)")
            }
        }
    }

    @Test(arguments: 0..<20) func `random pieces give the events of the whole`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5 {
            let stream = RandomStream(&generator)
            #expect(Receiver.records(of: stream.bytes, .router) == stream.records, "seed \(seed)")
            for keepsConsumed in [false, true] {
                let receiver = Receiver(.router, keepsConsumed: keepsConsumed)
                for piece in stream.bytes.pieces(&generator) {
                    receiver.receive(piece)
                }
                #expect(receiver.records == stream.records, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<5) func `single bytes give the events of the whole`(seed: UInt64) {
        var generator = SeededGenerator(seed: 1_000 + seed)
        let stream = RandomStream(&generator, messageCount: 6)
        let receiver = Receiver(.router)
        for byte in stream.bytes {
            receiver.receive(CollectionOfOne(byte))
        }
        #expect(receiver.records == stream.records, "seed \(seed)")
    }

    @Test(arguments: 0..<10) func `encoded messages are received as they were`(seed: UInt64) {
        var generator = SeededGenerator(seed: 2_000 + seed)
        let receiver = Receiver(.router)
        receiver.receive(Octets.dealerStart)
        for _ in 0..<10 {
            let bodies = (0..<1 + generator.below(8)).map { _ in
                [UInt8](
                    repeating: UInt8(truncatingIfNeeded: generator.next()),
                    count: generator.pick([0, 1, 254, 255, 256, 257, 3_000]))
            }
            for piece in encoded(bodies).pieces(&generator) {
                receiver.receive(piece)
            }
            #expect(receiver.records.last == .message(bodies), "seed \(seed)")
        }
    }
}
