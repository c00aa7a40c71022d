// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeBroker

@Suite struct PathIndexTests {
    @Test func `a removed event is not found, and may start elsewhere`() {
        var index = PathIndex()
        index.insert(.imagined(3), at: .imagined(7))
        index.remove(.imagined(3))
        index.insert(.imagined(3), at: .imagined(0))
        #expect(index.events(at: .imagined(7)).isEmpty)
        #expect(index.events(at: .imagined(0)) == [.imagined(3)])
        #expect(index.events(at: .imagined(1_000)).isEmpty)
    }

    @Test func `an event has a fixed path from the move until its end`() {
        let path = [NodeIndex.imagined(2), .imagined(1)]
        var index = PathIndex()
        #expect(index.fixedPath(of: .imagined(3)) == nil)
        #expect(index.unfix(.imagined(3)) == nil)
        index.fix(.imagined(3), path)
        #expect(index.fixedPath(of: .imagined(3)) == path)
        #expect(index.fixedPath(of: .imagined(4)) == nil)
        #expect(Array(index.fixedEvents) == [.imagined(3)])
        #expect(index.unfix(.imagined(3)) == path)
        #expect(index.fixedEvents.isEmpty)
    }
}

@Suite struct SweepScheduleTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `a full table waits for its next sweep in proportion to the last one`() {
        var schedule = SweepSchedule()
        #expect(schedule.isDue(newCount: 0, isFull: true, at: at(0)))
        schedule.recordSweep(of: 10_000, at: at(0))
        #expect(!schedule.isDue(newCount: 0, isFull: true, at: at(200)))
        #expect(schedule.isDue(newCount: 0, isFull: true, at: at(221)))
        #expect(!schedule.isDue(newCount: 0, isFull: false, at: at(10_000)))
        schedule.recordSweep(of: 100_000, at: at(10_000))
        #expect(!schedule.isDue(newCount: 0, isFull: true, at: at(12_000)))
        #expect(schedule.isDue(newCount: 0, isFull: true, at: at(12_021)))
    }

    @Test func `a sweep is due after a number of new names in proportion to the last sweep`() {
        var schedule = SweepSchedule()
        schedule.recordSweep(of: 16_000, at: at(0))
        #expect(!schedule.isDue(newCount: 999, isFull: false, at: at(1)))
        #expect(schedule.isDue(newCount: 1_000, isFull: false, at: at(1)))
        schedule.recordSweep(of: 160_000, at: at(2))
        #expect(!schedule.isDue(newCount: 9_999, isFull: false, at: at(3)))
        #expect(schedule.isDue(newCount: 10_000, isFull: false, at: at(3)))
    }
}
