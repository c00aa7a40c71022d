// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Testing

/// Arrivals and completions in any order, with disconnects in between, for many seeds.
@Suite struct RandomVisitTests {
    @Test(
        arguments: 1...200 as ClosedRange<UInt64>
    )
    func `nodes stay within their concurrency and answer each visit once, in any order`(
        seed: UInt64
    ) throws {
        var run = try RandomVisits(seed: seed)
        for _ in 0..<200 {
            try run.step()
            #expect(run.nodesOverLimit.isEmpty)
        }
        run.finishAll()
        #expect(run.unansweredVisits.isEmpty)
        #expect(run.visitsAnsweredTwice.isEmpty)
        #expect(run.visitsRunUnaccepted.isEmpty)
        #expect(run.nodesOutOfOrder.isEmpty)
    }
}
