// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker

/// Admits a number of messages of each kind and user to the log in a second, and counts the rest: a peer
/// that misbehaves as fast as it can must not fill the disk with it, nor hide what other users do.
package struct RateLimit {
    /// Messages that share a limit.
    package struct Subject: Hashable, Sendable {
        package var kind: LogKind
        /// The user that has caused them; `nil` for messages about no process, or an unknown one.
        package var userID: UInt32?

        package init(_ kind: LogKind, of userID: UInt32? = nil) {
            self.kind = kind
            self.userID = userID
        }
    }

    /// The number of messages about one subject omitted in one second.
    package struct Summary: Equatable, Sendable {
        package var subject: Subject
        package var count: Int

        package init(_ subject: Subject, count: Int) {
            self.subject = subject
            self.count = count
        }
    }

    private struct Window {
        var start: Instant
        var count = 0
        var suppressed = 0
    }

    private static let windowMilliseconds: UInt32 = 1_000
    /// Windows that are kept although they may be over.
    private static let windowCountMin = 256

    private var windows: [Subject: Window] = [:]
    /// The number of windows at which those that are over are removed.
    private var windowCountMax = windowCountMin
    /// Of those, the ones that have left something out, the earliest first.
    private var due: [Subject] = []

    package init() {}

    /// Whether a message about this subject may be written now.
    package mutating func admits(_ subject: Subject, at now: Instant) -> Bool {
        var window = windows[subject] ?? Window(start: now)
        if window.suppressed == 0, Self.end(of: window) <= now {
            window = Window(start: now)
        }
        defer {
            windows[subject] = window
            removePast(at: now)
        }
        guard window.count < subject.kind.messagesPerSecond, window.suppressed == 0 else {
            window.suppressed += 1
            if window.suppressed == 1 {
                due.append(subject)
            }
            return false
        }
        window.count += 1
        return true
    }

    /// Removes windows that are over, so that their number follows the users of the last second.
    private mutating func removePast(at now: Instant) {
        guard windows.count > windowCountMax else {
            return
        }
        windows = windows.filter { $0.value.suppressed > 0 || Self.end(of: $0.value) > now }
        windowCountMax = max(Self.windowCountMin, 2 * windows.count)
    }

    /// The number of windows that are kept.
    var windowCount: Int {
        windows.count
    }

    /// When the next summary of messages left out is due.
    package var nextSummary: Instant? {
        guard !due.isEmpty else {
            return nil
        }
        return due.compactMap { windows[$0].map(Self.end) }.min()
    }

    /// Returns the omissions of seconds that are over; messages about these subjects may be written
    /// again.
    package mutating func summaries(at now: Instant) -> [Summary] {
        guard !due.isEmpty else {
            return []
        }
        return takeSummaries { Self.end(of: $0) <= now }
    }

    /// Returns the summaries of all messages left out that no summary has counted.
    package mutating func remainingSummaries() -> [Summary] {
        takeSummaries { _ in true }
    }

    private mutating func takeSummaries(where isOver: (Window) -> Bool) -> [Summary] {
        var summaries: [Summary] = []
        for subject in due {
            if let window = windows[subject], isOver(window) {
                summaries.append(Summary(subject, count: window.suppressed))
                windows[subject] = nil
            }
        }
        due.removeAll { windows[$0] == nil }
        return summaries
    }

    private static func end(of window: Window) -> Instant {
        window.start.advanced(byMilliseconds: windowMilliseconds)
    }
}
