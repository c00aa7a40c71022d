// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import Testing

@Suite struct LinkMessageTests {
    private static let header: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    private static let control: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]

    @Test func `a message has the bytes of the specification`() throws {
        let bytes = Self.header + [3, 0, 0, 0, 7, 8, 9] + [1, 0, 0, 0, 6]
        let message = try LinkMessage(parsing: bytes, maximum: 3)
        #expect(message.sequence == 1)
        #expect(message.taken == 2)
        #expect(
            message.body
                == .frames([
                    LinkMessage.Frame(bytes: 20..<23, wholeByteCount: 3),
                    LinkMessage.Frame(bytes: 27..<28, wholeByteCount: 1),
                ]))
    }

    @Test func `the first part of a frame states the length of the whole`() throws {
        let bytes = Self.header + [2, 0, 0, 0x80, 0, 1, 0, 0, 7, 8]
        #expect(
            try LinkMessage(parsing: bytes, maximum: 6).body
                == .frames([LinkMessage.Frame(bytes: 24..<26, wholeByteCount: 256)]))
    }

    @Test(arguments: [
        (LinkMessage.Control.acknowledgement, [0]), (.again, [2]), (.close("no"), [1, 0x6E, 0x6F]),
    ])
    func `a control has the bytes of the specification`(
        control: LinkMessage.Control, bytes: [UInt8]
    ) throws {
        #expect(LinkMessage.encoded(control, taken: 2) == Self.control + bytes)
        #expect(
            try LinkMessage(parsing: Self.control + bytes, maximum: 1).body == .control(control))
    }

    @Test func `a long reason of a close is cut between two characters`() throws {
        let bytes = LinkMessage.encoded(.close("a" + String(repeating: "ü", count: 400)), taken: 0)
        #expect(bytes.count == 17 + 511)
        #expect(
            try LinkMessage(parsing: bytes, maximum: 1).body
                == .control(.close("a" + String(repeating: "ü", count: 255))))
    }

    @Test(
        arguments: [
            ([], LinkFault.truncated(byteCount: 0)),
            (Array(header.dropLast()), .truncated(byteCount: 15)),
            (header, .truncated(byteCount: 16)),
            (control, .truncated(byteCount: 16)),
            (control + [3], .unknownControl(3)),
            (control + [0, 0], .unknownControl(0)),
            (control + [2, 0], .unknownControl(2)),
            (header + [1, 0, 0], .truncated(byteCount: 19)),
            (header + [1, 0, 0, 0], .truncated(byteCount: 20)),
            (header + [5, 0, 0, 0, 1, 2, 3, 4, 5], .frameTooLong(byteCount: 5, maximum: 4)),
            (
                header + [0xFF, 0xFF, 0xFF, 0x7F],
                .frameTooLong(byteCount: 0x7FFF_FFFF, maximum: 4)
            ),
            (header + [1, 0, 0, 0x80, 9, 0, 0], .truncated(byteCount: 23)),
            (header + [1, 0, 0, 0x80, 0, 0, 0, 0, 9], .truncated(byteCount: 25)),
        ] as [([UInt8], LinkFault)])
    func `bytes that are not a message have a fault`(bytes: [UInt8], fault: LinkFault) {
        #expect(throws: fault) { try LinkMessage(parsing: bytes, maximum: 4) }
        #expect(!fault.description.isEmpty)
    }

    @Test func `only a single frame may exceed the size of shared messages`() {
        let frame = [UInt8](repeating: 0, count: 40_000)
        let length: [UInt8] = [0x40, 0x9C, 0, 0]
        #expect(throws: Never.self) {
            try LinkMessage(parsing: Self.header + length + frame, maximum: 100_000)
        }
        #expect(throws: LinkFault.messageTooLong(byteCount: 80_024)) {
            try LinkMessage(
                parsing: Self.header + length + frame + length + frame, maximum: 100_000)
        }
    }

    // MARK: - Hostile bytes

    @Test func `hostile messages never trap, and end the link at most once`() {
        var generator = SeededGenerator(seed: 1)
        var endCount = 0
        for _ in 0..<3_000 {
            var link = Link(LinkSettings(window: 2_000, maximum: 200), at: .zero)
            var effects: [LinkEffect] = []
            _ = link.send([1, 2, 3])
            link.flush(at: .zero, into: &effects)
            if generator.isLucky(30) {
                link.pause()
            }
            for step in 1...12 {
                link.received(
                    Self.hostileMessage(&generator), at: .milliseconds(step), into: &effects)
            }
            link.resume(at: .milliseconds(20), into: &effects)
            let ends = effects.count {
                if case .ended = $0 { true } else { false }
            }
            #expect(ends == (link.end == nil ? 0 : 1))
            #expect(link.unacknowledgedByteCount <= 2_000)
            endCount += ends
        }
        // Both kinds of bytes must be among them.
        #expect((500..<2_900).contains(endCount))
    }

    /// Returns noise, or a message with some damage.
    private static func hostileMessage(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in [UInt64(generator.below(5)), UInt64(generator.below(2))] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        if bytes[0] == 0 {
            bytes.append(UInt8(generator.pick([0, 0, 0, 2, 2, 1, 3])))
        } else {
            let count = generator.below(120)
            bytes += [UInt8(count), 0, 0, 0] + [UInt8](repeating: 1, count: count)
        }
        for _ in 0..<(generator.isLucky(20) ? 1 + generator.below(4) : 0) {
            bytes[generator.below(bytes.count)] = generator.pick([0, 1, 0x7F, 0x80, 0xFF])
        }
        return generator.isLucky(5) ? Array(bytes.prefix(generator.below(30))) : bytes
    }
}
