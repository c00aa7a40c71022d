// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

@Suite struct ChildLinkTests {
    private static let request = OpenRequest(
        link: LinkID(1), instance: "i", host: "h", program: "p")
    private static let terms = OpenTerms(
        bus: "hq", mount: "/shop/ulm", maximum: 1_044_480, window: 65_536)

    private func opening() -> (link: ChildLink, effects: [ChildLinkEffect]) {
        var effects: [ChildLinkEffect] = []
        let link = ChildLink(Self.request, at: .zero, into: &effects)
        return (link, effects)
    }

    @Test func `an answer opens the link, and tells its round trip`() {
        var (link, effects) = opening()
        #expect(effects == [.publish(.open, Self.request.encoded)])
        let answer = OpenAnswer.accepted(LinkID(1), Self.terms).encoded
        link.received(answer, on: .open, at: .milliseconds(12), into: &effects)
        #expect(effects.last == .opened(Self.terms))
        #expect(link.roundTrip == .milliseconds(12))
        #expect(link.send([5]) == .accepted)
        link.flush(at: .milliseconds(12), into: &effects)
        #expect(effects.last == .publish(.link(LinkID(1)), GateWorld.message(1, [5])))
    }

    @Test func `a refusal ends the attempt`() {
        var (link, effects) = opening()
        let refusal = OpenRefusal(code: .unknownSite, message: "no")
        link.received(
            OpenAnswer.refused(LinkID(1), refusal).encoded, on: .open, at: .zero, into: &effects)
        #expect(effects.last == .refused(refusal))
        #expect(link.deadline == nil)
    }

    @Test func `answers to another request and messages of another link have no effect`() {
        var (link, effects) = opening()
        effects = []
        let answer = OpenAnswer.accepted(LinkID(2), Self.terms).encoded
        link.received(answer, on: .open, at: .zero, into: &effects)
        link.received(GateWorld.message(1, [1]), on: .link(LinkID(1)), at: .zero, into: &effects)
        link.received(GateWorld.message(1, [1]), on: .link(LinkID(2)), at: .zero, into: &effects)
        link.received([0xFF], on: .open, at: .zero, into: &effects)
        link.noResponders(on: .link(LinkID(2)), into: &effects)
        #expect(effects.isEmpty)
        #expect(link.ignoredCount == 4)
        #expect(link.deadline == .seconds(2))
    }

    @Test func `an attempt ends after two seconds, or when no gate listens`() {
        var (link, effects) = opening()
        link.timePassed(at: .milliseconds(1_999), into: &effects)
        #expect(effects.count == 1)
        link.timePassed(at: .seconds(2), into: &effects)
        #expect(effects.last == .ended(.unanswered(.seconds(2))))
        (link, effects) = opening()
        link.noResponders(on: .link(LinkID(1)), into: &effects)
        #expect(effects.last == .ended(.noGate))
    }

    @Test func `a new connection during the opening repeats the request`() {
        var (link, effects) = opening()
        link.disconnected()
        link.connected(at: .milliseconds(100), into: &effects)
        #expect(effects.suffix(2) == [effects[0], effects[0]])
    }

    @Test func `pauses between attempts double up to 5 s, and jitter takes at most a half`() {
        var pause = DialPause()
        let pauses = (0..<8).map { _ in pause.next(.cut, jitter: 0) }
        #expect(
            pauses == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
        #expect(pause.next(.cut, jitter: .max) == .milliseconds(2_500))
        #expect(pause.next(.waiting, jitter: 0) == .milliseconds(500))
        #expect(pause.next(.refused, jitter: .max) == .seconds(30))
        pause.reset()
        #expect(pause.next(.cut, jitter: 0) == .milliseconds(100))
    }
}
