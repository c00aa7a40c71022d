// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker

/// Admits a number of messages of each kind to the log in a second, and counts the rest: a peer that
/// misbehaves as fast as it can must not fill the disk with it, nor hide what others do.
package struct RateLimit {
    /// The number of messages of one kind omitted in one second.
    package struct Summary: Equatable, Sendable {
        package var kind: LogKind
        package var count: Int

        package init(kind: LogKind, count: Int) {
            self.kind = kind
            self.count = count
        }
    }

    private struct Window {
        var start: Instant
        var count = 0
        var suppressed = 0
    }

    private static let windowMilliseconds: UInt32 = 1_000

    private var windows: [LogKind: Window] = [:]
    /// Of those, the ones that have left something out, the earliest first.
    private var due: [LogKind] = []

    package init() {}

    /// Whether a message of this kind may be written now.
    package mutating func admits(_ kind: LogKind, at now: Instant) -> Bool {
        var window = windows[kind] ?? Window(start: now)
        if window.suppressed == 0, Self.end(of: window) <= now {
            window = Window(start: now)
        }
        defer { windows[kind] = window }
        guard window.count < kind.messagesPerSecond, window.suppressed == 0 else {
            window.suppressed += 1
            if window.suppressed == 1 {
                due.append(kind)
            }
            return false
        }
        window.count += 1
        return true
    }

    /// When something is to be said of what was left out.
    package var nextSummary: Instant? {
        guard !due.isEmpty else {
            return nil
        }
        return due.compactMap { windows[$0].map(Self.end) }.min()
    }

    /// Returns the omissions of seconds that are over; messages of these kinds may be written
    /// again.
    package mutating func summaries(at now: Instant) -> [Summary] {
        guard !due.isEmpty else {
            return []
        }
        return takeSummaries { Self.end(of: $0) <= now }
    }

    /// All that was left out and not said yet.
    package mutating func remainingSummaries() -> [Summary] {
        takeSummaries { _ in true }
    }

    private mutating func takeSummaries(where isOver: (Window) -> Bool) -> [Summary] {
        var summaries: [Summary] = []
        for kind in due {
            if let window = windows[kind], isOver(window) {
                summaries.append(Summary(kind: kind, count: window.suppressed))
                windows[kind] = nil
            }
        }
        due.removeAll { windows[$0] == nil }
        return summaries
    }

    private static func end(of window: Window) -> Instant {
        window.start.advanced(byMilliseconds: windowMilliseconds)
    }
}
