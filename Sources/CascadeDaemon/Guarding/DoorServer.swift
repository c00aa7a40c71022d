// SPDX-License-Identifier: Apache-2.0

import Logging
import ZeroMQ

/// The doorkeeper's thread: handshakes are answered however busy the bus is.
actor DoorServer {
    private let thread = SocketThread(name: "door")
    private var driver: DoorDriver?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// To be called once, before the first endpoint is bound.
    nonisolated func open(
        in context: Context, admitting keys: AuthorizedKeys?, logger: Logger
    ) async throws {
        try thread.start()
        try await attach(in: context, keys ?? AuthorizedKeys(), logger)
    }

    private func attach(
        in context: Context, _ keys: AuthorizedKeys, _ logger: Logger
    ) throws {
        let driver = DoorDriver(try Doorkeeper(in: context, admitting: keys), logger)
        self.driver = driver
        thread.attach(driver)
    }

    /// Whoever comes from now on needs one of these.
    func admit(_ keys: AuthorizedKeys) {
        driver?.admit(keys)
    }

    nonisolated func close() async {
        await detach()
        thread.stop()
    }

    private func detach() {
        if driver != nil {
            thread.detach()
        }
        driver = nil
    }
}

/// Gives the doorkeeper its turns.
private final class DoorDriver: SocketThreadDriver {
    private var keeper: Doorkeeper
    private let logger: Logger

    init(_ keeper: consuming Doorkeeper, _ logger: Logger) {
        self.keeper = keeper
        self.logger = logger
    }

    var pollItems: [PollItem] {
        [keeper.pollItem]
    }

    func admit(_ keys: AuthorizedKeys) {
        keeper.keys = keys
    }

    func turn() -> SocketThread.Rest {
        do throws(ZeroMQError) {
            try keeper.answer()
        } catch {
            logger.error("\(error)")
        }
        return .forever
    }
}
