// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

/// One end of a link against messages that the test writes.
@Suite struct LinkTests {
    // MARK: - Sending

    @Test func `frames of one turn share a message`() {
        var end = LinkTestEnd()
        for byte in 1...3 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
        }
        #expect(end.effects.isEmpty)
        end.flush()
        #expect(end.effects == [.publish(LinkMessage.bytes(1, [1], [2], [3]))])
    }

    @Test func `frames that were accepted are published before the link closes`() {
        var end = LinkTestEnd()
        #expect(end.link.send([1]) == .accepted)
        end.link.close("done", at: .zero, into: &end.effects)
        #expect(
            end.effects == [
                .publish(LinkMessage.bytes(1, [1])),
                .publish(LinkMessage.encoded(.close("done"), taken: 0)), .ended(.closed("done")),
            ])
    }

    @Test func `the first messages are small, and a long frame has one of its own`() {
        var link = Link(LinkSettings(window: 200_000, maximum: 70_000), at: .zero)
        var effects: [LinkEffect] = []
        for count in [2_000, 1_000, 2_000, 20_000, 5] {
            #expect(link.send([UInt8](repeating: 0, count: count)) == .accepted)
        }
        link.flush(at: .zero, into: &effects)
        #expect(Self.sizes(effects) == [3_024, 2_020, 20_020])
    }

    @Test func `on a fast line a message of several frames has at most 64 KiB`() {
        var link = Link(LinkSettings(window: 4_000_000, maximum: 70_000), at: .zero)
        var sequence: UInt64 = 0
        var largest = 0
        for round in 1...20 {
            var effects: [LinkEffect] = []
            while link.send([UInt8](repeating: 0, count: 996)) == .accepted,
                link.unacknowledgedByteCount < 1_000_000
            {}
            let now = Duration.milliseconds(round)
            link.flush(at: now, into: &effects)
            let sizes = Self.sizes(effects)
            largest = max(largest, sizes.max() ?? 0)
            sequence += UInt64(sizes.count)
            link.received(
                LinkMessage.encoded(.acknowledgement, taken: sequence), at: now, into: &effects)
            // An acknowledgement may let more be published.
            sequence += UInt64(Self.sizes(effects).count - sizes.count)
        }
        #expect(largest == 65_016)
    }

    /// The sizes of the published messages.
    private static func sizes(_ effects: [LinkEffect]) -> [Int] {
        effects.compactMap { if case .publish(let bytes) = $0 { bytes.count } else { nil } }
    }

    @Test func `a full window refuses a frame, and announces its room`() {
        var end = LinkTestEnd()
        let frame = [UInt8](repeating: 1, count: 980)
        for _ in 0..<4 {
            #expect(end.link.send(frame) == .accepted)
            end.flush()
        }
        #expect(end.link.unacknowledgedByteCount == 4_000)
        #expect(end.link.send([1]) == .full)
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 1))
        #expect(end.effects.last == .room)
        #expect(end.link.send([1]) == .accepted)
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 2))
        #expect(end.effects.count { $0 == .room } == 1)
    }

    @Test func `a frame that exceeds the window goes alone`() {
        var link = Link(LinkSettings(window: 500, maximum: 1_000), at: .zero)
        var effects: [LinkEffect] = []
        #expect(link.send([1]) == .accepted)
        #expect(link.send([UInt8](repeating: 0, count: 900)) == .full)
        link.flush(at: .zero, into: &effects)
        link.received(LinkMessage.encoded(.acknowledgement, taken: 1), at: .zero, into: &effects)
        #expect(effects.last == .room)
        #expect(link.send([UInt8](repeating: 0, count: 900)) == .accepted)
        #expect(link.send([1]) == .full)
    }

    @Test func `a frame beyond the maximum is refused, or sent in part`() throws {
        var end = LinkTestEnd()
        #expect(end.link.send([UInt8](repeating: 0, count: 1_000)) == .accepted)
        #expect(end.link.send([UInt8](repeating: 0, count: 1_001)) == .tooLong)
        end.flush()
        end.effects = []
        let long = (0..<1_001).map { UInt8(truncatingIfNeeded: $0) }
        #expect(end.link.send(long, ifTooLong: .sendFirstPart) == .accepted)
        end.flush()
        guard case .publish(let bytes)? = end.effects.first else {
            Issue.record("nothing was published")
            return
        }
        #expect(bytes.count == LinkMessage.headerByteCount + 4 + 1_000)
        var other = LinkTestEnd()
        other.receive(LinkMessage.bytes(1, [5]))
        other.receive(bytes)
        let part = LinkEffect.refusePart(long.prefix(996)[...], byteCount: 1_001)
        #expect(other.effects.contains(part))
    }

    // MARK: - Receiving

    @Test func `repeats and messages after a gap are dropped`() {
        var end = LinkTestEnd()
        end.receive(LinkMessage.bytes(1, [1]))
        end.receive(LinkMessage.bytes(1, [1]))
        end.receive(LinkMessage.bytes(3, [3]))
        end.receive(LinkMessage.bytes(2, [2]))
        end.receive(LinkMessage.bytes(3, [3]))
        #expect(end.delivered == [[1], [2], [3]])
        #expect(end.link.takenSequence == 3)
    }

    @Test func `a gap is asked for once, and again after a second`() {
        var end = LinkTestEnd()
        for (sequence, time) in [(3, 0), (4, 10), (5, 900), (6, 1_001), (7, 1_002)] {
            end.receive(LinkMessage.bytes(UInt8(sequence), [1]), at: time)
        }
        #expect(end.published().map(\.body) == [.control(.again), .control(.again)])
    }

    @Test
    func
        `what is taken is acknowledged after 200 ms, soon after 64 messages, or at a fourth of the window`()
    {
        var end = LinkTestEnd(window: 8_000)
        end.receive(LinkMessage.bytes(1, [1]), at: 0)
        #expect(end.link.deadline == .milliseconds(200))
        end.pass(to: 199)
        #expect(end.published().isEmpty)
        end.pass(to: 200)
        #expect(end.published().map(\.taken) == [1])
        for sequence in 2...65 as ClosedRange<UInt8> {
            end.receive(LinkMessage.bytes(sequence, [1]), at: 300)
        }
        #expect(end.link.deadline == .milliseconds(302))
        end.pass(to: 301)
        #expect(end.published().isEmpty)
        end.pass(to: 302)
        #expect(end.published().map(\.taken) == [65])
        let large = [UInt8](repeating: 0, count: 980)
        end.receive(LinkMessage.bytes(66, large), at: 400)
        #expect(end.published().isEmpty)
        end.receive(LinkMessage.bytes(67, large), at: 400)
        #expect(end.published().map(\.taken) == [67])
    }

    @Test func `a frame carries the acknowledgement`() {
        var end = LinkTestEnd()
        end.receive(LinkMessage.bytes(1, [1]))
        #expect(end.link.send([9]) == .accepted)
        end.flush()
        #expect(end.published().map(\.taken) == [1])
        #expect(end.link.deadline == .seconds(1))
    }

    @Test func `what waits for room is not acknowledged, and then delivered in order`() {
        var end = LinkTestEnd()
        end.link.pause()
        end.receive(LinkMessage.bytes(1, [1], [2]))
        end.receive(LinkMessage.bytes(2, [3]))
        end.pass(to: 1_000)
        #expect(end.delivered.isEmpty)
        #expect(end.published().allSatisfy { $0.taken == 0 })
        #expect(!end.link.resume(byteCount: 1, at: .seconds(1), into: &end.effects))
        #expect(end.delivered == [[1], [2]])
        #expect(end.link.resume(at: .seconds(1), into: &end.effects))
        #expect(end.delivered == [[1], [2], [3]])
        #expect(end.link.takenSequence == 2)
    }

    @Test func `more than a window that waits ends the link`() {
        var end = LinkTestEnd()
        end.link.pause()
        let frame = [UInt8](repeating: 0, count: 980)
        for sequence in 1...4 as ClosedRange<UInt8> {
            end.receive(LinkMessage.bytes(sequence, frame))
        }
        #expect(end.link.end == nil)
        end.receive(LinkMessage.bytes(5, [1]))
        #expect(end.link.end == .fault(.windowOverrun(byteCount: 4_021, window: 4_000)))
    }

    @Test func `an acknowledgement of an unsent message ends the link`() {
        var end = LinkTestEnd()
        #expect(end.link.send([1]) == .accepted)
        // The message is complete, and not published yet.
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 1))
        #expect(end.link.end == .fault(.acknowledgedBeyondEnd(taken: 1, last: 0)))
        guard case .control(.close) = end.published().last?.body else {
            Issue.record("the other side is not told")
            return
        }
    }
}
