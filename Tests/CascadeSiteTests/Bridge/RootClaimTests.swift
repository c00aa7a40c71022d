// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeSite

@Suite struct RootClaimTests {
    private static let patience = Duration.seconds(20)
    private var claim = RootClaim()

    @Test mutating func `a refused root is asked for again after a pause`() {
        claim.made()
        claim.refused(sessionAsksAgain: false, at: .seconds(1))
        #expect(!claim.isMade && !claim.isHeld)
        #expect(claim.asksAgainAt == .seconds(2))
        claim.pauseEnded()
        #expect(claim.asksAgainAt == nil)
    }

    @Test mutating func `only a root that was held is waited for`() {
        claim.made()
        claim.connectionLost(patience: Self.patience, at: .seconds(1))
        #expect(claim.patienceEnds == nil)
        claim.granted()
        claim.connectionLost(patience: Self.patience, at: .seconds(2))
        #expect(!claim.isHeld)
        #expect(claim.patienceEnds == .seconds(22))
        claim.connectionLost(patience: Self.patience, at: .seconds(5))
        #expect(claim.patienceEnds == .seconds(22))
        claim.granted()
        #expect(claim.isHeld)
        #expect(claim.patienceEnds == nil)
    }

    @Test mutating func `a root that the bus has detached is asked for again`() {
        claim.made()
        claim.granted()
        claim.detached(patience: Self.patience, at: .seconds(3))
        #expect(!claim.isMade && !claim.isHeld)
        #expect(claim.asksAgainAt == .seconds(4))
        #expect(claim.patienceEnds == .seconds(23))
        claim.patienceEnded()
        #expect(claim.patienceEnds == nil)
    }
}
