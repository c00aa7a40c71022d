// SPDX-License-Identifier: Apache-2.0

/// The claim of the session at home to `/`, and the patience with a lost connection to the site's own bus.
struct RootClaim: Sendable {
    /// The pause before the bridge asks again for a root that was refused.
    private static let pause = Duration.seconds(1)

    /// Whether the session at home has the root, or has asked for it.
    private(set) var isMade = false
    /// Whether the bridge holds the root.
    private(set) var isHeld = false
    /// When the bridge asks for the root again.
    private(set) var asksAgainAt: Duration?
    /// When the patience with a lost connection to the site's own bus ends.
    private(set) var patienceEnds: Duration?
    /// Whether the daemon of the site's own bus knows no sites.
    var isBusUnfit = false

    mutating func pauseEnded() {
        asksAgainAt = nil
    }

    mutating func made() {
        isMade = true
    }

    mutating func granted() {
        isHeld = true
        patienceEnds = nil
    }

    /// The root is refused. The session asks for it again by itself if it had it on an earlier connection.
    mutating func refused(sessionAsksAgain: Bool, at now: Duration) {
        isMade = sessionAsksAgain
        asksAgainAt = now + Self.pause
    }

    /// The site's own bus has detached the root.
    mutating func detached(patience: Duration, at now: Duration) {
        refused(sessionAsksAgain: false, at: now)
        isHeld = false
        patienceEnds = now + patience
    }

    mutating func connectionLost(patience: Duration, at now: Duration) {
        if isHeld {
            isHeld = false
            patienceEnds = now + patience
        }
    }

    mutating func patienceEnded() {
        patienceEnds = nil
    }
}
