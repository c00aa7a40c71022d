// SPDX-License-Identifier: Apache-2.0

extension Connection {
    /// An event of a connection. An event refers to no memory, so that returning one costs nothing.
    package enum Event: Equatable, Sendable {
        /// The owner appends an ``Output`` to what it sends. Before the connection is open, it sends it
        /// at once.
        case send(Output)

        /// The handshake is complete, and messages may be sent.
        case opened

        case message(Message)

        /// The peer's answer to a PING.
        case pong(PingContext)

        /// A command that the RFC does not define, and that has no effect; where its name is.
        case unknownCommand(name: Range<Int>)

        /// The connection has a ``fault``. The owner writes what the socket takes at once, which includes
        /// an ERROR, and closes it.
        case failed
    }
}
