// SPDX-License-Identifier: Apache-2.0

/// The pauses between the attempts to open a link.
package struct DialPause: Equatable, Sendable {
    /// The state of the site between two attempts.
    package enum Phase: Equatable, Sendable {
        /// The patience runs: a session waits for its next link.
        case waiting
        /// The patience is over, or there was no link yet.
        case cut
        /// The gate has refused the link.
        case refused
    }

    /// The pause while a session waits.
    package static let waitingPause = Duration.milliseconds(500)
    package static let firstPause = Duration.milliseconds(100)
    package static let longestPause = Duration.seconds(5)
    package static let refusedPause = Duration.seconds(30)

    private var doublings = 0

    package init() {}

    /// Returns the pause before the next attempt. `jitter` is a random number; it shortens the pause by
    /// up to a half, so that the children of a restarted server do not come at once. The pause after a
    /// refusal is always the same.
    package mutating func next(_ phase: Phase, jitter: UInt16) -> Duration {
        let longest: Duration
        switch phase {
        case .waiting:
            longest = Self.waitingPause
        case .refused:
            return Self.refusedPause
        case .cut:
            longest = min(Self.firstPause * (1 << doublings), Self.longestPause)
            doublings = min(doublings + 1, 6)
        }
        return longest - longest / 2 * Int(jitter) / Int(UInt16.max)
    }

    /// Begins anew after a link was open.
    package mutating func reset() {
        doublings = 0
    }
}
