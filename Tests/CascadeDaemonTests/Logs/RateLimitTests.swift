// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

/// The rate limits of the log.
@Suite struct RateLimitTests {
    private func instant(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `ten violations a second are logged, and the others are counted`() {
        var limit = RateLimit()
        let violation = RateLimit.Subject(.violation, of: 7)
        let admitted = (0..<1_000).filter { limit.admits(violation, at: instant(UInt64($0) / 10)) }
        #expect(admitted == Array(0..<10))
        #expect(limit.nextSummary == instant(1_000))
        let early = limit.summaries(at: instant(999))
        #expect(early.isEmpty)
        let due = limit.summaries(at: instant(1_000))
        #expect(due == [RateLimit.Summary(violation, count: 990)])
        #expect(limit.nextSummary == nil)
        let isAdmitted = limit.admits(violation, at: instant(1_000))
        #expect(isAdmitted)
    }

    @Test func `each kind has a limit of its own`() {
        var limit = RateLimit()
        for _ in 0..<100 {
            _ = limit.admits(RateLimit.Subject(.violation), at: instant(0))
        }
        let others = [LogKind.lost, .refused].map {
            limit.admits(RateLimit.Subject($0), at: instant(0))
        }
        #expect(others == [true, true])
        let counts = limit.summaries(at: instant(5_000)).map(\.count)
        #expect(counts == [90])
    }

    @Test func `every suppressed message is counted in a summary`() {
        var limit = RateLimit()
        var admitted = 0
        var told = 0
        for step in 0..<10_000 {
            let now = instant(UInt64(step))
            told += limit.summaries(at: now).reduce(0) { $0 + $1.count }
            admitted += limit.admits(RateLimit.Subject(.refused), at: now) ? 1 : 0
        }
        told += limit.remainingSummaries().reduce(0) { $0 + $1.count }
        #expect(admitted + told == 10_000)
        #expect(admitted == 100)
    }

    @Test func `messages below the limit are all logged`() {
        var limit = RateLimit()
        let admitted = (0..<1_000).count {
            limit.admits(RateLimit.Subject(.slow), at: instant(UInt64($0) * 101))
        }
        #expect(admitted == 1_000)
        #expect(limit.nextSummary == nil)
    }

    @Test func `messages about one user do not hide those about another`() {
        var limit = RateLimit()
        for _ in 0..<100 {
            _ = limit.admits(RateLimit.Subject(.violation, of: 7), at: instant(0))
        }
        let others = [8, nil].map {
            limit.admits(RateLimit.Subject(.violation, of: $0), at: instant(0))
        }
        #expect(others == [true, true])
        let summaries = limit.summaries(at: instant(1_000))
        #expect(
            summaries == [RateLimit.Summary(RateLimit.Subject(.violation, of: 7), count: 90)])
    }

    @Test func `seconds that are over take no memory`() {
        var limit = RateLimit()
        for userID in 0..<10_000 as Range<UInt32> {
            _ = limit.admits(
                RateLimit.Subject(.crowded, of: userID), at: instant(UInt64(userID) * 100))
        }
        #expect(limit.windowCount <= 300)
    }
}
