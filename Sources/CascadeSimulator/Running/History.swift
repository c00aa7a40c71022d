// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The history of a run, line by line. It is recorded only when a failing seed is run again.
struct History {
    struct Line {
        var time: Instant
        var text: String
        var event: EventID?
        var session: SessionID?
    }

    let isRecorded: Bool
    private(set) var lines: [Line] = []

    init(isRecorded: Bool) {
        self.isRecorded = isRecorded
    }

    mutating func append(
        _ time: Instant, _ text: @autoclosure () -> String, event: EventID? = nil,
        session: SessionID? = nil
    ) {
        if isRecorded {
            lines.append(Line(time: time, text: text(), event: event, session: session))
        }
    }

    /// Returns the last `count` lines that concern the finding or the whole bus.
    func excerpt(about finding: Finding, count: Int) -> [String] {
        let relevant = lines.filter { line in
            guard line.event != nil || line.session != nil else {
                return true
            }
            if let event = finding.event, line.event != nil {
                return line.event == event
            }
            let session = line.session ?? line.event?.session
            return finding.session == nil || session == finding.session
        }
        return relevant.suffix(count).map(Self.text)
    }

    /// All lines.
    var all: [String] {
        lines.map(Self.text)
    }

    private static func text(_ line: Line) -> String {
        let microseconds = line.time.nanoseconds / 1000
        let digits = String(microseconds % 1_000_000)
        let fraction = String(repeating: "0", count: 6 - digits.utf8.count) + digits
        return "\(microseconds / 1_000_000).\(fraction) \(line.text)"
    }
}
