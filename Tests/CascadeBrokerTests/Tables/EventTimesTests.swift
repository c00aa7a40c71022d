// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing

/// The histogram of the durations of events.
@Suite struct EventTimesTests {
    @Test func `a duration is counted in the first bucket whose bound is not below it`() {
        var nanoseconds: UInt64 = 1
        while nanoseconds < 1 << 40 {
            for exact in [nanoseconds - 1, nanoseconds, nanoseconds + 1] {
                var times = EventTimes()
                times.count(exact)
                let bucket = times.counts.firstIndex(of: 1) ?? -1
                if let bound = EventTimes.microseconds(of: bucket) {
                    #expect(exact <= bound * 1_000, "\(exact)")
                }
                if bucket > 0, let below = EventTimes.microseconds(of: bucket - 1) {
                    #expect(exact > below * 1_000, "\(exact)")
                }
                #expect(times.nanoseconds == exact)
            }
            nanoseconds *= 2
        }
    }

    @Test func `a duration equal to a bound is counted in its bucket`() {
        for bucket in 0..<EventTimes.bucketCount - 1 {
            var times = EventTimes()
            times.count((EventTimes.microseconds(of: bucket) ?? 0) * 1_000)
            #expect(times.counts[bucket] == 1)
        }
        #expect(EventTimes.microseconds(of: EventTimes.bucketCount - 1) == nil)
    }

    @Test func `a histogram is written in Prometheus' text format`() {
        var times = EventTimes()
        times.count(3_000)
        times.count(1_500_000_000)
        times.count(100_000_000_000)
        var metrics = MetricsText()
        metrics.histogram("h_seconds", "Help.", times)
        let lines = metrics.text.split(separator: "\n")
        #expect(lines[0] == "# HELP h_seconds Help.")
        #expect(lines[1] == "# TYPE h_seconds histogram")
        #expect(lines[2] == "h_seconds_bucket{le=\"0.000004\"} 1")
        #expect(lines.contains("h_seconds_bucket{le=\"1.048576\"} 1"))
        #expect(lines.contains("h_seconds_bucket{le=\"4.194304\"} 2"))
        #expect(
            lines.suffix(3) == [
                "h_seconds_bucket{le=\"+Inf\"} 3", "h_seconds_sum 101.500003", "h_seconds_count 3",
            ])
    }

    @Test func `labels are escaped`() {
        var metrics = MetricsText()
        metrics.sample("a", [("b", "\"\\\n")], is: 1)
        #expect(metrics.text == "a{b=\"\\\"\\\\\\n\"} 1\n")
    }
}
