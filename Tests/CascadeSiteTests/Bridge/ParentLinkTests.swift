// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeSite

/// A link to the parent, whose bus confirms at once that `/` stands for what is above.
@Suite struct ParentLinkTests {
    private static let patience = Duration.seconds(20)
    private var link = ParentLink(seed: 7)

    private var state: BridgeState {
        link.state(isCarryingConfirmed: link.isUp || link.patienceEnds != nil)
    }

    private mutating func mount(at now: Duration) {
        link.beginDialling()
        link.opened(LinkTerms(mount: "/shop"), at: now)
        link.mounted()
    }

    @Test mutating func `a link is dialled, mounts, and is up`() {
        #expect(state == .dialling)
        #expect(link.phaseEnds == nil)
        link.dialUnlessSentAway(at: .seconds(1))
        #expect(link.phaseEnds == .seconds(1))
        link.beginDialling()
        #expect(state == .dialling)
        #expect(!link.isOpen)
        link.opened(LinkTerms(mount: "/shop"), at: .seconds(2))
        #expect(state == .mounting)
        #expect(link.isOpen && !link.isUp)
        #expect(link.phaseEnds == .seconds(12))
        link.mounted()
        #expect(state == .up)
        #expect(link.phaseEnds == nil)
        #expect(link.terms?.mount == "/shop")
    }

    @Test mutating func `only a link that was up is waited for`() throws {
        link.beginDialling()
        link.lost(patience: Self.patience, dialsAgain: true, at: .seconds(1))
        #expect(link.patienceEnds == nil)
        #expect(state == .dialling)
        mount(at: .seconds(2))
        link.lost(patience: Self.patience, dialsAgain: true, at: .seconds(3))
        #expect(link.patienceEnds == .seconds(23))
        #expect(state == .waiting)
        let dialsAt = try #require(link.phaseEnds)
        #expect(dialsAt > .seconds(3) && dialsAt <= .seconds(3) + DialPause.waitingPause)
        link.patienceEnded()
        #expect(state == .cut)
        mount(at: .seconds(30))
        #expect(state == .up)
        #expect(link.patienceEnds == nil)
    }

    @Test mutating func `the pauses of a cut link grow, and begin anew after it was up`() throws {
        var longest = Duration.zero
        for attempt in 0..<20 {
            let now = Duration.seconds(100 * attempt)
            link.beginDialling()
            link.lost(patience: .zero, dialsAgain: true, at: now)
            longest = max(longest, try #require(link.phaseEnds) - now)
        }
        #expect(longest > DialPause.longestPause / 2 && longest <= DialPause.longestPause)
        mount(at: .seconds(3_000))
        link.lost(patience: .zero, dialsAgain: true, at: .seconds(3_000))
        link.patienceEnded()
        link.beginDialling()
        link.lost(patience: .zero, dialsAgain: true, at: .seconds(3_001))
        #expect(try #require(link.phaseEnds) <= .seconds(3_001) + DialPause.firstPause)
    }

    @Test mutating func `a refused site dials rarely, or when a user asks for it`() {
        link.beginDialling()
        link.refused("the key is not known", at: .seconds(1))
        #expect(state == .refused("the key is not known"))
        #expect(link.phaseEnds == .seconds(1) + DialPause.refusedPause)
        link.dialUnlessSentAway(at: .seconds(2))
        #expect(link.phaseEnds == .seconds(1) + DialPause.refusedPause)
        link.dialAnyway(at: .seconds(2))
        #expect(link.phaseEnds == .seconds(2))
        #expect(state == .dialling)
    }

    @Test mutating func `a site that is sent away comes back only when a user asks for it`() {
        mount(at: .seconds(1))
        link.sentAway()
        link.dialUnlessSentAway(at: .seconds(2))
        #expect(link.phaseEnds == nil)
        link.dialAnyway(at: .seconds(3))
        #expect(link.phaseEnds == .seconds(3))
    }
}
