// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// Gives the broker's shell its turns on the thread that owns the sockets.
final class BrokerLoop: SocketThreadDriver {
    private var shell: BrokerShell

    init(_ shell: consuming BrokerShell) {
        self.shell = shell
    }

    var pollItems: [PollItem] {
        shell.pollItems
    }

    func turn() -> SocketThread.Rest {
        shell.turn()
    }

    /// Takes no new events from now on.
    func stop() {
        shell.stop()
    }

    /// Whether no event and no publication is under way.
    var isIdle: Bool {
        shell.isIdle
    }

    /// Tells every peer that the daemon ends.
    func dismissAll() {
        shell.dismissAll()
    }
}
