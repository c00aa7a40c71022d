// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

/// What one end of a link sends again, and how the link ends.
@Suite struct LinkRepeatTests {
    // MARK: - Sending again

    @Test func `a request sends everything again from the missing message on`() {
        var end = LinkTestEnd()
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
        var end = LinkTestEnd()
        for byte in 1...2 as ClosedRange<UInt8> {
            #expect(end.link.send([byte]) == .accepted)
            end.flush()
        }
        end.effects = []
        var times: [Int] = []
        for time in stride(from: 0, through: 20_000, by: 100) {
            end.receive(LinkMessage.encoded(.acknowledgement, taken: 0), at: time)
            end.pass(to: time)
            let again = end.published().filter { $0.sequence > 0 }
            #expect(again.allSatisfy { $0.sequence == 1 })
            times += again.map { _ in time }
        }
        #expect(times == [1_000, 3_000, 7_000, 15_000])
        // The rest follows the acknowledgement.
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 1), at: 20_001)
        #expect(end.published().map(\.sequence) == [2])
    }

    @Test func `a new connection carries all that is not acknowledged`() {
        var end = LinkTestEnd()
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
        var (one, other) = (LinkTestEnd(), LinkTestEnd())
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
        var end = LinkTestEnd()
        var now = 0
        for sequence in 1...20 as ClosedRange<UInt64> {
            #expect(end.link.send([1]) == .accepted)
            end.flush(at: now)
            now += 4_000
            end.receive(LinkMessage.encoded(.acknowledgement, taken: sequence - 1), at: now - 100)
            end.receive(LinkMessage.encoded(.acknowledgement, taken: sequence), at: now)
        }
        #expect(end.link.send([1]) == .accepted)
        end.flush(at: now)
        end.effects = []
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 20), at: now + 3_000)
        end.pass(to: now + 3_500)
        #expect(end.published().allSatisfy { $0.sequence == 0 })
    }

    @Test func `the round trip is that of the quickest acknowledgements, and follows a longer way`()
    {
        var end = LinkTestEnd()
        #expect(end.link.roundTrip == nil)
        var now = 0
        func acknowledge(_ sequence: UInt64, after milliseconds: Int, _ end: inout LinkTestEnd) {
            #expect(end.link.send([1]) == .accepted)
            end.flush(at: now)
            now += milliseconds
            end.receive(LinkMessage.encoded(.acknowledgement, taken: sequence), at: now)
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
        var end = LinkTestEnd()
        end.receive(LinkMessage.encoded(.acknowledgement, taken: 0), at: 1_000)
        end.pass(to: 5_999)
        #expect(end.link.end == nil)
        end.pass(to: 6_000)
        #expect(end.link.end == .silent(.seconds(5)))
        #expect(end.link.deadline == nil)
        end.effects = []
        end.receive(LinkMessage.bytes(1, [1]), at: 6_001)
        #expect(end.link.send([1]) == .accepted)
        end.flush(at: 6_001)
        end.link.connected(at: .seconds(7), into: &end.effects)
        #expect(end.effects.isEmpty)
    }

    @Test func `silence ends a link without a connection too`() {
        var end = LinkTestEnd()
        end.link.disconnected()
        #expect(end.link.deadline == .seconds(5))
        end.pass(to: 5_000)
        #expect(end.effects == [.ended(.silent(.seconds(5)))])
    }

    @Test func `close ends both sides at once`() {
        var end = LinkTestEnd()
        end.link.close("the gate stops", at: .zero, into: &end.effects)
        #expect(end.effects.last == .ended(.closed("the gate stops")))
        var other = LinkTestEnd()
        other.receive(LinkMessage.encoded(.close("the gate\u{1B} stops"), taken: 0))
        #expect(other.effects == [.ended(.closedByPeer("the gate\u{1B} stops"))])
        #expect(other.link.end?.description.contains("\u{1B}") == false)
    }
}
