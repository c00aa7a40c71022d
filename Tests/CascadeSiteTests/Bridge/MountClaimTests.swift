// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeSite

@Suite struct MountClaimTests {
    private var claim = MountClaim()

    @Test mutating func `a mount that is held is asked for again for about a second and a half`() {
        var now = Duration.seconds(1)
        var pauses: [Int64] = []
        claim.made()
        while claim.refused(.pathTaken, at: now), let due = claim.asksAgainAt {
            pauses.append((due - now).components.attoseconds / 1_000_000_000_000_000)
            now = due
            claim.made()
            #expect(claim.asksAgainAt == nil)
        }
        #expect(pauses == [50, 100, 200, 400, 800])
        claim.reset()
        claim.made()
        let isAskedAgain = claim.refused(.pathTaken, at: now)
        #expect(isAskedAgain)
    }

    @Test mutating func `a mount that is refused for another reason is not asked for again`() {
        claim.made()
        let isAskedAgain = claim.refused(.denied, at: .seconds(1))
        #expect(!isAskedAgain)
        #expect(claim.asksAgainAt == nil)
    }
}
