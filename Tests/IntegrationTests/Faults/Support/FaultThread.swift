// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// The thread of all fault tests. They wait for processes and sockets by blocking it, so that
/// the threads shared by other tests stay free; and a peer's socket belongs to one thread.
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
