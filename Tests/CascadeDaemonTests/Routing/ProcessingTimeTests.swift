// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct ProcessingTimeTests {
    private static let slow = Credentials(processID: 1, userID: 7, groupID: 7).owner
    private static let other = Credentials(processID: 2, userID: 8, groupID: 8).owner

    @Test func `a user waits as long as its message took, and no other user does`() {
        var time = ProcessingTime()
        #expect(!time.isAnyWaiting)
        time.record(10_000_000, of: Self.slow, at: 50_000_000)
        #expect(time.isWaiting(Self.slow))
        #expect(!time.isWaiting(Self.other))
        time.forgetPast(59_999_999)
        #expect(time.isWaiting(Self.slow))
        time.forgetPast(60_000_000)
        #expect(!time.isAnyWaiting)
    }

    @Test func `a message that took no long time makes no user wait`() {
        var time = ProcessingTime()
        time.record(ProcessingTime.longNanoseconds - 1, of: Self.slow, at: 50_000_000)
        #expect(!time.isAnyWaiting)
    }

    @Test func `a user who is alone never waits`() {
        var time = ProcessingTime()
        time.record(10_000_000, of: nil, at: 50_000_000)
        #expect(!time.isAnyWaiting)
    }

    @Test func `processor time is read for a second after a message that seemed long`() {
        var time = ProcessingTime()
        let first = time.begin()
        #expect(first.processorNanoseconds == nil)
        time.record(nil, of: Self.slow, at: first.nanoseconds)
        #expect(!time.isAnyWaiting)
        time.record(nil, of: Self.slow, at: first.nanoseconds + 3_600_000_000_000)
        #expect(time.begin().processorNanoseconds != nil)
        time.record(
            nil, of: Self.slow, at: first.nanoseconds - min(first.nanoseconds, 1_000_000_000))
        #expect(time.begin().processorNanoseconds == nil)
    }
}
