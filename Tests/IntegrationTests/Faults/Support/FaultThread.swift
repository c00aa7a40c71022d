// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The thread of all tests of faults. They wait for processes and sockets by blocking it, so that
/// the threads that other tests share stay free; and a peer's socket belongs to one thread.
@globalActor
actor FaultThread {
    static let shared = FaultThread()

    private nonisolated let thread = SocketThread(name: "faults")

    private init() {
        do throws(ZeroMQError) {
            try thread.start()
        } catch {
            preconditionFailure("the tests' thread cannot start: \(error)")
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }
}
