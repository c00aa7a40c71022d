// SPDX-License-Identifier: Apache-2.0

import Synchronization
import ZeroMQ

/// What the broker's and the guard's thread share: the connections from which the broker has
/// received a first message, and the number of admitted connections.
///
/// Unchecked, because the compiler cannot see that the lock guards the mutable state.
final class ConnectionActivity: @unchecked Sendable {
    private let lock = Lock()
    private var connections: [ConnectionID] = []
    private let admissions = Atomic<UInt32>(0)

    /// Connections that the authenticator has admitted, modulo 2³². A connection is counted before
    /// libzmq assigns its routing ID.
    var admissionCount: UInt32 {
        admissions.load(ordering: .acquiring)
    }

    func countAdmission() {
        admissions.wrappingAdd(1, ordering: .releasing)
    }

    func add(_ connection: ConnectionID) {
        lock.withLock { connections.append(connection) }
    }

    /// Returns the connections added since the last call.
    func take() -> [ConnectionID] {
        lock.withLock {
            defer { connections = [] }
            return connections
        }
    }
}
