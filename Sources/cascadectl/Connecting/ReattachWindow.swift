// SPDX-License-Identifier: Apache-2.0

import Cascade
import Synchronization

/// The time for which a restarted daemon waits for nodes to reattach. Until its end, a missing node
/// is not gone.
final class ReattachWindow: Sendable {
    private let end: Mutex<ContinuousClock.Instant>

    init(_ welcome: Welcome) {
        end = Mutex(Self.end(welcome))
    }

    /// Processes a change of the link's connection.
    func changed(_ connection: LinkConnection) {
        if case .welcomed(let welcome) = connection {
            end.withLock { $0 = Self.end(welcome) }
        }
    }

    /// The time until the end; `nil` after it.
    var timeLeft: Duration? {
        let left = end.withLock { $0 - .now }
        return left > .zero ? left : nil
    }

    private static func end(_ welcome: Welcome) -> ContinuousClock.Instant {
        .now + .milliseconds(Int(welcome.reattachMilliseconds))
    }
}
