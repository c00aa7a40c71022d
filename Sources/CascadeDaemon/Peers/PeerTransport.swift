// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import LocalTransport
import ZeroMQ

/// The connections of peers, as used by the broker's shell, on either transport.
///
/// Confined to the broker's thread. In each turn the shell calls ``beginTurn(at:)``, takes events
/// until there are none left, sends, and calls ``flush(at:)``.
protocol PeerTransport: ~Copyable {
    // MARK: Waiting

    /// The descriptors whose readiness ends the thread's sleep.
    var pollItems: [PollItem] { get }
    /// Whether another turn has something to do without waiting.
    var hasWork: Bool { get }
    /// When the next turn is due at the latest; `nil` if no time is due.
    func nextDeadline(at now: Instant) -> Instant?

    // MARK: Events

    mutating func beginTurn(at now: Instant)
    /// The next event; `nil` at the end of the turn.
    mutating func next(at now: Instant) throws(ZeroMQError) -> PeerEvent?
    /// The peer of the last ``PeerEvent/connected(_:)``.
    func identity(of peer: PeerID) -> PeerIdentity?
    /// Returns the bytes of the last event's frame for as long as the caller refers to them.
    mutating func keep(_ frame: UnsafeRawBufferPointer) -> SharedBytes
    /// Log entries that have come up since the last call.
    mutating func takeReports() -> [LogRecord]

    // MARK: Sending

    /// Sends a message; dropped if the connection has ended.
    mutating func send(_ header: Header, _ content: UnsafeRawBufferPointer, to peer: PeerID)
    /// Sends a message whose content is the shared bytes behind their own header.
    mutating func send(_ header: Header, behindHeaderOf shared: SharedBytes, to peer: PeerID)
    mutating func send(_ message: [UInt8], to peer: PeerID)
    /// Writes what the connections take.
    mutating func flush(at now: Instant)

    // MARK: Bytes that peers have yet to read

    func unreadByteCount(of peer: PeerID) -> Int
    func unreadByteCount(of owner: Owner) -> Int
    /// The bytes of all peers, as far as the last flush has left them.
    var unreadByteCount: Int { get }
    /// The size of the largest frame that the peer may have yet to read.
    func largestByteCount(of peer: PeerID) -> Int
    /// The peers for which the last flush has left bytes.
    var blockedPeers: [PeerID] { get }

    // MARK: Ending

    /// Closes a connection once what was sent is written. No event of it follows.
    mutating func close(_ peer: PeerID, at now: Instant)
    /// Closes a connection, and drops what was sent. No event of it follows.
    mutating func abort(_ peer: PeerID, at now: Instant)
    /// Ends the connection of a process that has exited, and reports it as disconnected.
    mutating func endConnection(of peer: PeerID, at now: Instant)
    /// Looks whether the connection of a process that has exited has ended.
    mutating func probe(_ peer: PeerID)
    /// Releases what belongs to a peer that is disconnected or closed. Until then no new peer has its
    /// index: the broker's tables are by index.
    mutating func remove(_ peer: PeerID)
    /// Closes all connections once what was sent is written, for at most half a second.
    mutating func closeAll()
    /// Returns memory of a burst to the system.
    mutating func trim()
}

/// An event that a transport reports to the shell.
enum PeerEvent {
    /// Messages may be sent to the peer from now on.
    case connected(PeerID)
    /// One frame, valid until the next event. `number` counts the frames of one ZeroMQ message from
    /// 1.
    case frame(PeerID, UnsafeRawBufferPointer, number: Int)
    /// The connection has ended, and all that the peer sent was reported.
    case disconnected(PeerID)
}

/// The identity of a connected peer.
struct PeerIdentity {
    var credentials: Credentials
    /// The connection's socket, to ask the kernel about the process.
    var descriptor: Int32?
    /// When the connection was accepted, on the monotonic clock; `nil` if it was just now.
    var acceptTime: Duration?
    /// The key that the peer has proved to have.
    var key: AdmittedKey?
}
