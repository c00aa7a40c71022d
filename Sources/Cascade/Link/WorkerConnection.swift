// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
package import ZeroMQ

/// The connection of a worker to its bus, opened again whenever it breaks: one that speaks ZMTP
/// itself (``LocalConnection``), or one of libzmq (``ZeroMQConnection``).
///
/// Belongs to one thread. In each turn its owner calls ``beginTurn(waiting:)``, receives all
/// messages, takes the changes, sends, and calls ``flush()``.
package protocol WorkerConnection: ~Copyable {
    /// The endpoint of the last connection.
    var endpoint: String { get }
    /// Whether the peer or the network may fail without an error on the socket.
    var isRemote: Bool { get }
    /// Whether ``BusEndpoint/standard`` has changed and no bus has been named or has served yet.
    var isOutdated: Bool { get }
    /// Whether the connection retries by itself while no process serves the endpoint.
    var retriesItself: Bool { get }
    /// Fixes the endpoint: the bus has accepted the session, and later connections go to the same
    /// bus.
    mutating func fixEndpoint()

    /// Connects. Messages may be sent after ``ConnectionChange/ready``. Throws if the endpoint is
    /// invalid.
    mutating func open() throws
    /// Closes the connection and discards its unsent messages: a greeting that arrived after the
    /// one of the next connection would make the daemon take the old connection for the new one.
    mutating func abandon()
    /// Closes the connection after its sent messages are written, or after a short time.
    mutating func close()

    /// The descriptors that wake the thread.
    var pollItems: [PollItem] { get }
    /// Whether the next turn has work and must not wait.
    var hasWork: Bool { get }
    /// The time by which the next turn must take place, in `MonotonicClock` nanoseconds.
    var nextDeadline: UInt64? { get }

    /// Sleeps between two turns as `SocketThreadDriver.sleep` does; `nil`
    /// without an event loop.
    mutating func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake?

    /// Begins a turn; with `waiting`, waits until a message may have arrived.
    mutating func beginTurn(waiting: Bool)
    /// Receives the next message and returns its header; `nil` if there is none. Throws
    /// ``ConnectionError`` if the bytes are not a message.
    mutating func receive() throws(ConnectionError) -> Header?
    /// The whole message that ``receive()`` took last, valid until the next call.
    var message: UnsafeRawBufferPointer { get }
    /// Returns the next change of the connection since the last call, if any.
    mutating func change() throws(ZeroMQError) -> ConnectionChange?

    mutating func send(_ header: Header, fields: [UInt8], payload: [UInt8])
    mutating func send(_ message: [UInt8])
    /// Writes the messages that were sent, together.
    mutating func flush()
}

/// A change of a worker's connection.
package enum ConnectionChange: Sendable {
    /// Messages may be sent.
    case ready
    case broken
    /// The bus takes no more connections at the moment.
    case refused
    /// No process serves the endpoint.
    case noBusFound
    /// The bus rejected the worker's key, or has another key than expected.
    case keyRejected
}

/// The reason why no message was received.
package enum ConnectionError: Error, CustomStringConvertible {
    case socket(ZeroMQError)
    /// The received bytes are not a message of the protocol.
    case message(WireError)

    package var description: String {
        switch self {
        case .socket(let error): error.description
        case .message(let error): error.description
        }
    }
}

extension Header {
    /// Reads the header of a message of the daemon; `nil` for a command that only a later release
    /// knows, which a worker ignores.
    init?(received message: UnsafeRawBufferPointer) throws(ConnectionError) {
        do throws(WireError) {
            try self.init(parsing: message)
        } catch {
            guard error.code == .unknownCommand else {
                throw .message(error)
            }
            return nil
        }
    }
}
