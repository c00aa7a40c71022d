// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The descriptors of connections that the broker has had a first message from, on their way from
/// its thread to the guard's.
///
/// Unchecked, because the compiler can't see that the lock guards all that changes.
final class HeardConnections: @unchecked Sendable {
    private let lock = Lock()
    private var descriptors: [Int32] = []

    func add(_ descriptor: Int32) {
        lock.withLock { descriptors.append(descriptor) }
    }

    /// Those since the last call.
    func take() -> [Int32] {
        lock.withLock {
            defer { descriptors = [] }
            return descriptors
        }
    }
}
