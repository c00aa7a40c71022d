// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The connections that the broker has had a first message from, on their way from its thread to
/// the guard's.
///
/// Unchecked, because the compiler can't see that the lock guards all that changes.
final class HeardConnections: @unchecked Sendable {
    private let lock = Lock()
    private var connections: [ConnectionID] = []

    func add(_ connection: ConnectionID) {
        lock.withLock { connections.append(connection) }
    }

    /// Those since the last call.
    func take() -> [ConnectionID] {
        lock.withLock {
            defer { connections = [] }
            return connections
        }
    }
}
