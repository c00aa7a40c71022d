// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

/// One end of a link against messages that the test writes.
@Suite struct LinkTests {
    /// A link with frames of at most 1,000 bytes, and what it did.
    private struct End {
        var link: Link
        var effects: [LinkEffect] = []

        init(window: Int = 4_000) {
            link = Link(LinkSettings(window: window, maximum: 1_000), at: .zero)
        }

        mutating func receive(_ bytes: [UInt8], at milliseconds: Int = 0) {
            link.received(bytes, at: .milliseconds(milliseconds), into: &effects)
        }

        mutating func pass(to milliseconds: Int) {
            link.timePassed(at: .milliseconds(milliseconds), into: &effects)
        }

        mutating func flush(at milliseconds: Int = 0) {
            link.flush(at: .milliseconds(milliseconds), into: &effects)
        }

        /// Returns and forgets the published messages.
        mutating func published() -> [LinkMessage] {
            defer { effects = [] }
            return effects.compactMap {
                if case .publish(let bytes) = $0 {
                    try? LinkMessage(parsing: bytes, maximum: 1_000)
                } else {
                    nil
                }
            }
        }

        var delivered: [[UInt8]] {
            effects.compactMap { if case .deliver(let frame) = $0 { Array(frame) } else { nil } }
        }
    }

    private func message(_ sequence: UInt8, taken: UInt8 = 0, _ frames: [UInt8]...) -> [UInt8] {
        let header = [sequence] + [UInt8](repeating: 0, count: 7) + [taken]
        return frames.reduce(header + [UInt8](repeating: 0, count: 7)) { message, frame in
            message + [UInt8(frame.count % 256), UInt8(frame.count / 256), 0, 0] + frame
        }
    }

    private func acknowledgement(of taken: UInt64) -> [UInt8] {
        LinkMessage.encoded(.acknowledgement, taken: taken)
    }

    // MARK: - Sending

    @Test func `frames of one turn share a message`() {
        var end = End()
        for byte in 1...3 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
        }
        #expect(end.effects.isEmpty)
        end.flush()
        #expect(end.effects == [.publish(message(1, [1], [2], [3]))])
    }

    @Test func `frames that were accepted are published before the link closes`() {
        var end = End()
        #expect(end.link.send([1]) == .accepted)
        end.link.close("done", at: .zero, into: &end.effects)
        #expect(
            end.effects == [
                .publish(message(1, [1])),
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
            link.received(acknowledgement(of: sequence), at: now, into: &effects)
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
        var end = End()
        let frame = [UInt8](repeating: 1, count: 980)
        for _ in 0..<4 {
            #expect(end.link.send(frame) == .accepted)
            end.flush()
        }
        #expect(end.link.unacknowledgedByteCount == 4_000)
        #expect(end.link.send([1]) == .full)
        end.receive(acknowledgement(of: 1))
        #expect(end.effects.last == .room)
        #expect(end.link.send([1]) == .accepted)
        end.receive(acknowledgement(of: 2))
        #expect(end.effects.count { $0 == .room } == 1)
    }

    @Test func `a frame that exceeds the window goes alone`() {
        var link = Link(LinkSettings(window: 500, maximum: 1_000), at: .zero)
        var effects: [LinkEffect] = []
        #expect(link.send([1]) == .accepted)
        #expect(link.send([UInt8](repeating: 0, count: 900)) == .full)
        link.flush(at: .zero, into: &effects)
        link.received(acknowledgement(of: 1), at: .zero, into: &effects)
        #expect(effects.last == .room)
        #expect(link.send([UInt8](repeating: 0, count: 900)) == .accepted)
        #expect(link.send([1]) == .full)
    }

    @Test func `a frame beyond the maximum is refused, or sent in part`() throws {
        var end = End()
        #expect(end.link.send([UInt8](repeating: 0, count: 1_000)) == .accepted)
        #expect(end.link.send([UInt8](repeating: 0, count: 1_001)) == .tooLong)
        end.flush()
        end.effects = []
        let long = (0..<1_001).map { UInt8(truncatingIfNeeded: $0) }
        #expect(end.link.send(long, inPart: true) == .accepted)
        end.flush()
        guard case .publish(let bytes)? = end.effects.first else {
            Issue.record("nothing was published")
            return
        }
        #expect(bytes.count == LinkMessage.headerByteCount + 4 + 1_000)
        var other = End()
        other.receive(message(1, [5]))
        other.receive(bytes)
        let part = LinkEffect.refusePart(long.prefix(996)[...], byteCount: 1_001)
        #expect(other.effects.contains(part))
    }

    // MARK: - Receiving

    @Test func `repeats and messages after a gap are dropped`() {
        var end = End()
        end.receive(message(1, [1]))
        end.receive(message(1, [1]))
        end.receive(message(3, [3]))
        end.receive(message(2, [2]))
        end.receive(message(3, [3]))
        #expect(end.delivered == [[1], [2], [3]])
        #expect(end.link.takenSequence == 3)
    }

    @Test func `a gap is asked for once, and again after a second`() {
        var end = End()
        for (sequence, time) in [(3, 0), (4, 10), (5, 900), (6, 1_001), (7, 1_002)] {
            end.receive(message(UInt8(sequence), [1]), at: time)
        }
        #expect(end.published().map(\.body) == [.control(.again), .control(.again)])
    }

    @Test
    func
        `what is taken is acknowledged after 200 ms, soon after 64 messages, or at a fourth of the window`()
    {
        var end = End(window: 8_000)
        end.receive(message(1, [1]), at: 0)
        #expect(end.link.deadline == .milliseconds(200))
        end.pass(to: 199)
        #expect(end.published().isEmpty)
        end.pass(to: 200)
        #expect(end.published().map(\.taken) == [1])
        for sequence in 2...65 as ClosedRange<UInt8> {
            end.receive(message(sequence, [1]), at: 300)
        }
        #expect(end.link.deadline == .milliseconds(302))
        end.pass(to: 301)
        #expect(end.published().isEmpty)
        end.pass(to: 302)
        #expect(end.published().map(\.taken) == [65])
        let large = [UInt8](repeating: 0, count: 980)
        end.receive(message(66, large), at: 400)
        #expect(end.published().isEmpty)
        end.receive(message(67, large), at: 400)
        #expect(end.published().map(\.taken) == [67])
    }

    @Test func `a frame carries the acknowledgement`() {
        var end = End()
        end.receive(message(1, [1]))
        #expect(end.link.send([9]) == .accepted)
        end.flush()
        #expect(end.published().map(\.taken) == [1])
        #expect(end.link.deadline == .seconds(1))
    }

    @Test func `what waits for room is not acknowledged, and then delivered in order`() {
        var end = End()
        end.link.pause()
        end.receive(message(1, [1], [2]))
        end.receive(message(2, [3]))
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
        var end = End()
        end.link.pause()
        let frame = [UInt8](repeating: 0, count: 980)
        for sequence in 1...4 as ClosedRange<UInt8> {
            end.receive(message(sequence, frame))
        }
        #expect(end.link.end == nil)
        end.receive(message(5, [1]))
        #expect(end.link.end == .fault(.windowOverrun(byteCount: 4_021, window: 4_000)))
    }

    @Test func `an acknowledgement of an unsent message ends the link`() {
        var end = End()
        #expect(end.link.send([1]) == .accepted)
        // The message is complete, and not published yet.
        end.receive(acknowledgement(of: 1))
        #expect(end.link.end == .fault(.acknowledgedBeyondEnd(taken: 1, last: 0)))
        guard case .control(.close) = end.published().last?.body else {
            Issue.record("the other side is not told")
            return
        }
    }

    // MARK: - Sending again

    @Test func `a request sends everything again from the missing message on`() {
        var end = End()
        for byte in 1...3 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
            end.flush()
        }
        end.effects = []
        end.receive(LinkMessage.encoded(.again, taken: 1), at: 10)
        #expect(end.published().map(\.sequence) == [2, 3])
        // A second request for the same message may be older than the repetition.
        end.receive(LinkMessage.encoded(.again, taken: 1), at: 20)
        #expect(end.published().isEmpty)
        end.receive(LinkMessage.encoded(.again, taken: 1), at: 220)
        #expect(end.published().map(\.sequence) == [2, 3])
    }

    @Test
    func `without an acknowledgement the oldest message alone is sent again, ever less often`() {
        var end = End()
        for byte in 1...2 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
            end.flush()
        }
        end.effects = []
        var times: [Int] = []
        for time in stride(from: 0, through: 20_000, by: 100) {
            end.receive(acknowledgement(of: 0), at: time)
            end.pass(to: time)
            let again = end.published().filter { $0.sequence > 0 }
            #expect(again.allSatisfy { $0.sequence == 1 })
            times += again.map { _ in time }
        }
        #expect(times == [1_000, 3_000, 7_000, 15_000])
        // The rest follows the acknowledgement.
        end.receive(acknowledgement(of: 1), at: 20_001)
        #expect(end.published().map(\.sequence) == [2])
    }

    @Test func `a new connection carries all that is not acknowledged`() {
        var end = End()
        for byte in 1...2 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
            end.flush()
        }
        end.link.disconnected()
        #expect(end.link.send([3]) == .accepted)
        end.effects = []
        end.flush(at: 100)
        end.pass(to: 2_000)
        #expect(end.effects.isEmpty)
        end.link.connected(at: .seconds(3), into: &end.effects)
        #expect(end.published().map(\.sequence) == [0, 1, 2, 3])
    }

    @Test func `a side that was disconnected gets what it has missed at once`() {
        var (one, other) = (End(), End())
        other.link.disconnected()
        #expect(one.link.send([7]) == .accepted)
        one.flush()
        // The server has no subscriber for it.
        one.effects = []
        other.link.connected(at: .milliseconds(100), into: &other.effects)
        for case .publish(let message) in other.effects {
            one.receive(message, at: 100)
        }
        for case .publish(let message) in one.effects {
            other.receive(message, at: 100)
        }
        #expect(other.delivered == [[7]])
    }

    @Test func `the time to send again grows with the time of acknowledgements`() {
        var end = End()
        var now = 0
        for sequence in 1...20 as ClosedRange<UInt64> {
            #expect(end.link.send([1]) == .accepted)
            end.flush(at: now)
            now += 4_000
            end.receive(acknowledgement(of: sequence - 1), at: now - 100)
            end.receive(acknowledgement(of: sequence), at: now)
        }
        #expect(end.link.send([1]) == .accepted)
        end.flush(at: now)
        end.effects = []
        end.receive(acknowledgement(of: 20), at: now + 3_000)
        end.pass(to: now + 3_500)
        #expect(end.published().allSatisfy { $0.sequence == 0 })
    }

    @Test func `the round trip is that of the quickest acknowledgements, and follows a longer way`()
    {
        var end = End()
        #expect(end.link.roundTrip == nil)
        var now = 0
        func acknowledge(_ sequence: UInt64, after milliseconds: Int, _ end: inout End) {
            #expect(end.link.send([1]) == .accepted)
            end.flush(at: now)
            now += milliseconds
            end.receive(acknowledgement(of: sequence), at: now)
        }
        acknowledge(1, after: 200, &end)
        #expect(end.link.roundTrip == .milliseconds(200))
        acknowledge(2, after: 8, &end)
        #expect(end.link.roundTrip == .milliseconds(8))
        acknowledge(3, after: 200, &end)
        #expect(end.link.roundTrip == .milliseconds(20))
        for sequence in 4...200 as ClosedRange<UInt64> {
            acknowledge(sequence, after: 300, &end)
        }
        #expect(end.link.roundTrip! > .milliseconds(299))
    }

    // MARK: - Life

    @Test func `silence for the patience ends the link, and nothing follows`() {
        var end = End()
        end.receive(acknowledgement(of: 0), at: 1_000)
        end.pass(to: 5_999)
        #expect(end.link.end == nil)
        end.pass(to: 6_000)
        #expect(end.link.end == .silent(.seconds(5)))
        #expect(end.link.deadline == nil)
        end.effects = []
        end.receive(message(1, [1]), at: 6_001)
        #expect(end.link.send([1]) == .accepted)
        end.flush(at: 6_001)
        end.link.connected(at: .seconds(7), into: &end.effects)
        #expect(end.effects.isEmpty)
    }

    @Test func `silence ends a link without a connection too`() {
        var end = End()
        end.link.disconnected()
        #expect(end.link.deadline == .seconds(5))
        end.pass(to: 5_000)
        #expect(end.effects == [.ended(.silent(.seconds(5)))])
    }

    @Test func `close ends both sides at once`() {
        var end = End()
        end.link.close("the gate stops", at: .zero, into: &end.effects)
        #expect(end.effects.last == .ended(.closed("the gate stops")))
        var other = End()
        other.receive(LinkMessage.encoded(.close("the gate\u{1B} stops"), taken: 0))
        #expect(other.effects == [.ended(.closedByPeer("the gate\u{1B} stops"))])
        #expect(other.link.end?.description.contains("\u{1B}") == false)
    }
}
