// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Testing

/// Two ends of a link over a line that carries few bytes in a second upward, and any number downward.
@Suite struct SlowLineTests {
    /// The line, as the transport shows it: a message arrives whole, after all those before it.
    private struct Line {
        var child: Link
        var gate: Link
        let bytesPerSecond: Int
        let delay: Duration
        var now = Duration.zero
        /// The time at which the line has carried all.
        var isFreeAt = Duration.zero
        var up: [(arrivesAt: Duration, bytes: [UInt8])] = []
        var down: [(arrivesAt: Duration, bytes: [UInt8])] = []
        var deliveredCount = 0
        var carriedByteCount = 0
        /// The longest time in which the gate has heard nothing.
        var longestSilence = Duration.zero
        private var heardAt = Duration.zero

        init(bytesPerSecond: Int, delay: Duration = .milliseconds(1)) {
            let settings = LinkSettings(window: 4_194_304, maximum: 1_044_480)
            child = Link(settings, at: .zero)
            gate = Link(settings, at: .zero)
            self.bytesPerSecond = bytesPerSecond
            self.delay = delay
        }

        mutating func act(_ change: (inout Link, Duration, inout [LinkEffect]) -> Void) {
            var effects: [LinkEffect] = []
            change(&child, now, &effects)
            child.flush(at: now, into: &effects)
            for case .publish(let bytes) in effects {
                let time = Duration.seconds(1) * Double(bytes.count) / Double(bytesPerSecond)
                isFreeAt = max(isFreeAt, now) + time
                carriedByteCount += bytes.count
                up.append((isFreeAt + delay, bytes))
            }
        }

        private mutating func actAtGate(
            _ change: (inout Link, Duration, inout [LinkEffect]) -> Void
        ) {
            var effects: [LinkEffect] = []
            change(&gate, now, &effects)
            gate.flush(at: now, into: &effects)
            for effect in effects {
                switch effect {
                case .publish(let bytes): down.append((now + delay, bytes))
                case .deliver: deliveredCount += 1
                case .refusePart, .room, .ended: break
                }
            }
        }

        /// Performs the next thing that happens.
        mutating func step() {
            let times = [
                child.deadline, gate.deadline, up.first?.arrivesAt, down.first?.arrivesAt,
            ]
            now = max(now, times.compactMap(\.self).min() ?? now)
            while let next = up.first, next.arrivesAt <= now {
                up.removeFirst()
                longestSilence = max(longestSilence, now - heardAt)
                heardAt = now
                actAtGate { $0.received(next.bytes, at: $1, into: &$2) }
            }
            while let next = down.first, next.arrivesAt <= now {
                down.removeFirst()
                act { $0.received(next.bytes, at: $1, into: &$2) }
            }
            act { $0.timePassed(at: $1, into: &$2) }
            actAtGate { $0.timePassed(at: $1, into: &$2) }
        }
    }

    /// Sends as many frames as the link accepts, up to `count`. Returns how many.
    private func send(_ count: Int, of byteCount: Int, on line: inout Line) -> Int {
        var sentCount = 0
        line.act { link, _, _ in
            while sentCount < count,
                link.send([UInt8](repeating: 0, count: byteCount)) == .accepted
            {
                sentCount += 1
            }
        }
        return sentCount
    }

    @Test(arguments: [200, 2_000, 30_000])
    func `a line of 64 kbit/s keeps the link, and carries little twice`(byteCount: Int) {
        var line = Line(bytesPerSecond: 8_000)
        let count = 240_000 / byteCount
        var sentCount = 0
        while line.deliveredCount < count, line.now < .seconds(120), line.child.end == nil {
            sentCount += send(count - sentCount, of: byteCount, on: &line)
            line.step()
        }
        #expect(line.deliveredCount == count)
        #expect(line.child.end == nil && line.gate.end == nil)
        #expect(line.longestSilence < .seconds(4.5), "\(line.longestSilence)")
        // All takes 30 s at the rate of the line.
        #expect(line.now < .seconds(50), "\(line.now)")
        #expect(line.carriedByteCount < 340_000, "\(line.carriedByteCount)")
    }

    @Test func `little waits in the link once the line has shown to be slow`() {
        var line = Line(bytesPerSecond: 8_000)
        while line.now < .seconds(20) {
            _ = send(.max, of: 1_000, on: &line)
            line.step()
        }
        #expect(line.child.end == nil && line.gate.end == nil)
        #expect(line.child.unacknowledgedByteCount <= 65_536)
        #expect(line.isFreeAt - line.now < .seconds(4))
    }

    @Test func `a line with a long delay is used in full`() {
        var line = Line(bytesPerSecond: 10_000_000, delay: .milliseconds(300))
        var sentCount = 0
        while line.deliveredCount < 10_000, line.now < .seconds(60), line.child.end == nil {
            sentCount += send(10_000 - sentCount, of: 1_000, on: &line)
            line.step()
        }
        #expect(line.deliveredCount == 10_000)
        #expect(line.now < .seconds(12), "\(line.now)")
    }
}
