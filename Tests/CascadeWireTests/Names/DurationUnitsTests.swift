// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@Suite struct DurationUnitsTests {
    @Test func `whole units of a duration are rounded towards zero`() {
        let duration = Duration(secondsComponent: 2, attosecondsComponent: 345_678_901_999_999_999)
        #expect(duration.wholeMilliseconds == 2_345)
        #expect(duration.wholeMicroseconds == 2_345_678)
        #expect(duration.wholeNanoseconds == 2_345_678_901)
        let past = Duration.zero - duration
        #expect(past.wholeMilliseconds == -2_345)
        #expect(past.wholeMicroseconds == -2_345_678)
        #expect(past.wholeNanoseconds == -2_345_678_901)
    }

    @Test func `the units on the wire are clamped, and milliseconds are at least 1`() {
        #expect(Duration.milliseconds(1_500).wireMilliseconds == 1_500)
        #expect(Duration.microseconds(999).wireMilliseconds == 1)
        #expect(Duration.seconds(-1).wireMilliseconds == 1)
        #expect(Duration.seconds(5_000_000).wireMilliseconds == .max)
        #expect(Duration.microseconds(999).wireMicroseconds == 999)
        #expect(Duration.seconds(-1).wireMicroseconds == 0)
        #expect(Duration.seconds(5_000).wireMicroseconds == .max)
    }

    // A deadline is the caller's choice, and "forever" is a choice.
    @Test func `a duration beyond every unit is clamped`() {
        let forever = Duration.seconds(Int64.max)
        #expect(forever.wholeMilliseconds == .max)
        #expect(forever.wholeMicroseconds == .max)
        #expect(forever.wholeNanoseconds == .max)
        #expect(forever.wireMilliseconds == .max)
        #expect((Duration.zero - forever).wholeNanoseconds == .min)
    }
}
