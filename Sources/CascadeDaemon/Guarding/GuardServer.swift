// SPDX-License-Identifier: Apache-2.0

import Logging
import ZeroMQ

/// The way to the guard's thread: opening and closing it.
actor GuardServer {
    private let thread: SocketThread
    private var connectionGuard: ConnectionGuard?

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// From here on handshakes are answered. To be called before the first endpoint is bound.
    func open(
        in context: Context, admitting keys: AuthorizedKeys?, limits: ConnectionLimits,
        heard: HeardConnections, logger: Logger
    ) throws {
        let connectionGuard = try ConnectionGuard(
            in: context, admitting: keys ?? AuthorizedKeys(), limits: limits, heard: heard,
            logger: logger)
        self.connectionGuard = connectionGuard
        thread.attach(connectionGuard)
    }

    /// A peer that connects with a key from now on needs one of these.
    func admit(_ keys: AuthorizedKeys) {
        connectionGuard?.admit(keys)
    }

    func close() {
        thread.detach()
        connectionGuard = nil
    }
}
