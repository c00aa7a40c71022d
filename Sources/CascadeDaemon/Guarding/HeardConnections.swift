// SPDX-License-Identifier: Apache-2.0

import Synchronization
import ZeroMQ

/// What the broker's thread and the guard's tell each other: the connections that the broker has had
/// a first message from, and how many the doorkeeper has let in.
///
/// Unchecked, because the compiler can't see that the lock guards all that changes.
final class HeardConnections: @unchecked Sendable {
    private let lock = Lock()
    private var connections: [ConnectionID] = []
    private let admissions = Atomic<UInt32>(0)

    /// Connections that the doorkeeper has let in, modulo 2³². A connection is counted before libzmq
    /// names it.
    var admissionCount: UInt32 {
        admissions.load(ordering: .acquiring)
    }

    func noteAdmission() {
        admissions.wrappingAdd(1, ordering: .releasing)
    }

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
