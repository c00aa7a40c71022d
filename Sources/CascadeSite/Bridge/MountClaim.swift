// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The attempts of the session above to attach the mount, which an earlier session of this site may still
/// hold: a transport tells the parent's daemon the end of a connection and the messages of the next one in any
/// order.
struct MountClaim: Sendable {
    /// The pause before the second attempt. Each one after that is twice as long.
    private static let firstPause = Duration.milliseconds(50)
    /// The attempts on one link: the last one follows 1.55 s after the first.
    private static let attemptCountMax = 6

    private var attemptCount = 0
    /// When the bridge asks for the mount again; `nil` if no attempt is due.
    private(set) var asksAgainAt: Duration?

    /// The bridge asks for the mount.
    mutating func made() {
        attemptCount += 1
        asksAgainAt = nil
    }

    /// The parent's bus has refused the mount. Returns whether another attempt is due on the same link.
    mutating func refused(_ code: ErrorCode, at now: Duration) -> Bool {
        guard code == .pathTaken, (1..<Self.attemptCountMax).contains(attemptCount) else {
            return false
        }
        asksAgainAt = now + Self.firstPause * (1 << (attemptCount - 1))
        return true
    }

    /// Another link begins, or this one has ended.
    mutating func reset() {
        self = MountClaim()
    }
}
