// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

@testable import CascadeDaemon

@Suite struct HeapTrimTests {
    private let start = Instant(nanoseconds: 0)

    @Test func `the heap is examined a second after the last of many messages`() {
        var trim = HeapTrim()
        trim.record(messages: 1_023, waitingByteCount: 0, at: start)
        #expect(trim.deadline == nil)
        trim.record(messages: 1, waitingByteCount: 0, at: start)
        #expect(trim.deadline == start.advanced(byMilliseconds: 1_000))
    }

    @Test func `endless messages postpone the examination by at most five seconds`() {
        var trim = HeapTrim()
        for millisecond in UInt32(0)..<20_000 {
            let now = start.advanced(byMilliseconds: millisecond)
            trim.record(messages: 100, waitingByteCount: 0, at: now)
        }
        // The 11th message of 100 is the first that makes the examination due.
        #expect(trim.deadline == start.advanced(byMilliseconds: 5_010))
    }

    @Test func `the heap is examined when bytes are released that have waited for long`() {
        var trim = HeapTrim()
        trim.record(messages: 1, waitingByteCount: 50 << 20, at: start)
        let examination = start.advanced(byMilliseconds: 1_000)
        #expect(trim.isDue(at: examination))
        trim.trim()
        #expect(trim.deadline == nil)
        let release = start.advanced(byMilliseconds: 60_000)
        trim.record(messages: 1, waitingByteCount: 0, at: release)
        #expect(trim.deadline == release.advanced(byMilliseconds: 1_000))
        trim.trim()
        trim.record(messages: 1, waitingByteCount: 0, at: release)
        #expect(trim.deadline == nil)
    }
}
