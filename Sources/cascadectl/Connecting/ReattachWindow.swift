// SPDX-License-Identifier: Apache-2.0

import Cascade
import Synchronization

/// The time for which a daemon that was restarted waits for the nodes of the one before it: until
/// its end, that a node is missing does not mean that it has gone.
final class ReattachWindow: Sendable {
    private let end: Mutex<ContinuousClock.Instant>

    init(_ welcome: Welcome) {
        end = Mutex(Self.end(welcome))
    }

    /// The link's connection has changed.
    func changed(_ connection: LinkConnection) {
        if case .welcomed(let welcome) = connection {
            end.withLock { $0 = Self.end(welcome) }
        }
    }

    /// The time until the end; `nil` if that has passed.
    var timeLeft: Duration? {
        let left = end.withLock { $0 - .now }
        return left > .zero ? left : nil
    }

    private static func end(_ welcome: Welcome) -> ContinuousClock.Instant {
        .now + .milliseconds(Int(welcome.reattachMilliseconds))
    }
}
