// SPDX-License-Identifier: Apache-2.0

import Logging
import ZeroMQ

/// Runs the connection guard on its thread: opens and closes it from other tasks.
actor GuardServer {
    private let thread: SocketThread
    private var connectionGuard: ConnectionGuard?

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Answers handshakes from now on. Must be called before the first endpoint is bound.
    func open(
        in context: Context, admitting keys: AuthorizedKeys?, limits: ConnectionLimits,
        activity: ConnectionActivity, logger: Logger
    ) throws {
        let connectionGuard = try ConnectionGuard(
            in: context, admitting: keys ?? AuthorizedKeys(), limits: limits, activity: activity,
            logger: logger)
        self.connectionGuard = connectionGuard
        thread.attach(connectionGuard)
    }

    /// Replaces the keys that new connections may authenticate with.
    func admit(_ keys: AuthorizedKeys) {
        connectionGuard?.admit(keys)
    }

    func close() {
        thread.detach()
        connectionGuard = nil
    }
}
