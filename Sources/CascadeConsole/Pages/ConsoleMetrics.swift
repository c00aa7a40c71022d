// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The numbers of the console itself, in Prometheus' text format.
final class ConsoleMetrics: Sendable {
    /// The upper bounds of the histogram of the time that a frame takes to make, in seconds.
    private static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]

    private struct State {
        var frames: UInt64 = 0
        var frameBytes: UInt64 = 0
        var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
        var seconds = 0.0
        var seen: UInt64 = 0
        var leftOut: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Makes a frame with `make`, and counts it.
    func frame<Made>(_ make: () -> Made, byteCount: (Made) -> Int) -> Made {
        let begun = ContinuousClock.now
        let made = make()
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        state.withLock { state in
            state.frames += 1
            state.frameBytes += UInt64(byteCount(made))
            state.seconds += seconds
            let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
            state.buckets[bucket] += 1
        }
        return made
    }

    /// Counts a monitor event that the bus has told.
    func countMonitorEvent() {
        state.withLock { $0.seen += 1 }
    }

    /// Counts messages that the bus has left out.
    func countLeftOut(_ count: UInt64) {
        state.withLock { $0.leftOut += count }
    }

    // MARK: - Text

    /// Returns the text.
    ///
    /// - Parameter pages: The number of visible pages.
    func text(pages: Int, actions: [(outcome: Actions.Outcome, count: UInt64)]) -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        let add = { (name: String, kind: String, help: String, samples: [String]) in
            lines.append("# HELP cascade_console_\(name) \(help)")
            lines.append("# TYPE cascade_console_\(name) \(kind)")
            lines += samples.map { "cascade_console_\($0)" }
        }
        add("pages", "gauge", "Pages that look at a bus.", ["pages \(pages)"])
        add("frames_total", "counter", "Frames sent.", ["frames_total \(state.frames)"])
        add(
            "frame_bytes_total", "counter", "Bytes of frames.",
            ["frame_bytes_total \(state.frameBytes)"])
        var sum: UInt64 = 0
        var samples: [String] = []
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.buckets) {
            sum += count
            samples.append("frame_seconds_bucket{le=\"\(bound)\"} \(sum)")
        }
        samples += ["frame_seconds_sum \(state.seconds)", "frame_seconds_count \(sum)"]
        add("frame_seconds", "histogram", "Time to make a frame.", samples)
        add(
            "monitor_events_total", "counter", "Monitor events that buses told.",
            ["monitor_events_total \(state.seen)"])
        add(
            "monitor_events_left_out_total", "counter",
            "Messages that buses left out, because there were too many.",
            ["monitor_events_left_out_total \(state.leftOut)"])
        add(
            "actions_total", "counter", "Actions by outcome.",
            actions.map { entry in
                let labels = "action=\"\(entry.outcome.kind)\",outcome=\"\(entry.outcome.word)\""
                return "actions_total{\(labels)} \(entry.count)"
            })
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let rest = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
        add(
            "cpu_seconds_total", "counter", "Processor time.",
            ["cpu_seconds_total \(seconds + rest)"])
        add(
            "resident_bytes_max", "gauge", "Greatest resident memory.",
            ["resident_bytes_max \(Int(usage.ru_maxrss) * 1_024)"])
        return lines.joined(separator: "\n") + "\n"
    }
}
