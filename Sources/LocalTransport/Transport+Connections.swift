// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import ZMTP

/// The connections as their owner sees them: their identities and their ends.
extension Transport {
    /// The number of connections, with those whose handshake is not complete and those being closed.
    package var connectionCount: Int {
        table.count
    }

    /// The process at the other end; `nil` if the connection has ended.
    package func credentials(of id: ConnectionID) -> PeerCredentials? {
        table[id]?.pointee.credentials
    }

    /// When a connection was accepted; `nil` if it has ended.
    package func acceptTime(of id: ConnectionID) -> Duration? {
        table[id]?.pointee.beganAt
    }

    /// The socket of a connection, to ask the kernel about its peer: groups, or a descriptor of the
    /// process. It must not be read, written or closed; `nil` if the connection has ended.
    package func descriptor(of id: ConnectionID) -> Int32? {
        table[id]?.pointee.descriptor
    }

    /// The bytes of memory in which a user's received bytes wait.
    package func heldByteCount(ofUser userID: UInt32) -> Int {
        admission.heldByteCount(of: userID)
    }

    // MARK: - Connecting

    /// Connects to a listening socket at a path. Reports the connection as connected once the handshake is
    /// complete, or as disconnected.
    ///
    /// Throws if nothing listens there, or with `EAGAIN` if more connections wait there than the listener
    /// allows: try again later.
    package mutating func connect(
        to path: String, _ configuration: ConnectionConfiguration, at now: Duration
    ) throws(SystemError) -> ConnectionID {
        let descriptor = cascade_unix_stream(1)
        guard descriptor >= 0 else {
            throw SystemError("create a socket")
        }
        guard cascade_unix_connect(descriptor, path) == 0,
            let credentials = PeerCredentials(of: descriptor)
        else {
            let error = SystemError("connect to \(path)")
            Glibc.close(descriptor)
            throw error
        }
        return try insert(
            descriptor, credentials, configuration, isOutgoing: true, at: now)
    }

    /// Adds a connected socket, which it closes if that fails.
    mutating func insert(
        _ descriptor: Int32, _ credentials: PeerCredentials,
        _ configuration: ConnectionConfiguration, isOutgoing: Bool, at now: Duration
    ) throws(SystemError) -> ConnectionID {
        var connection = PeerConnection(
            descriptor: descriptor, credentials: credentials, beganAt: now,
            engine: Connection(configuration, at: now))
        connection.isOutgoing = isOutgoing
        let deadline = connection.engine.deadline
        let id = table.insert(connection)
        guard let connection = table[id] else {
            preconditionFailure("a connection that was added is there")
        }
        do throws(SystemError) {
            try epoll.add(descriptor, .readable, token: Token.of(id))
        } catch {
            table.remove(id)
            throw error
        }
        if let deadline {
            handshakes.append((id, deadline))
        }
        var cursor = 0
        if case .send(let output) = connection.pointee.engine.next(
            in: UnsafeRawBufferPointer(start: nil, count: 0).bytes, at: &cursor)
        {
            append(output, id, connection)
        }
        // The peer has often written its greeting by now.
        queueReading(id, connection)
        return id
    }

    // MARK: - Closing

    /// Closes a connection once what was sent is written, or ``TransportConfiguration/lingerDuration``
    /// has passed. No event of it follows but ``TransportEvent/unwritten(_:byteCount:)``.
    package mutating func close(_ id: ConnectionID, at now: Duration) {
        guard let connection = table[id], !connection.pointee.isClosing,
            !connection.pointee.isDoomed
        else {
            return
        }
        connection.pointee.isClosing = true
        guard !connection.pointee.output.isEmpty else {
            doom(id, connection)
            return
        }
        closings.append((id, now + configuration.lingerDuration))
        queueFlush(id, connection)
        updateInterest(id, connection)
    }

    /// Reads what a connection has received, and then ends it as if the peer had closed it: the process
    /// has exited, and a child of it may keep the socket open.
    package mutating func endWhenDrained(_ id: ConnectionID) {
        guard let connection = table[id], !connection.pointee.isDoomed,
            !connection.pointee.isClosing
        else {
            return
        }
        connection.pointee.hasEnded = true
        connection.pointee.endsWhenDrained = true
        discardOutput(of: connection)
        queueReading(id, connection)
    }

    /// Closes a connection without writing what waits. No event of it follows.
    package mutating func abort(_ id: ConnectionID) {
        if let connection = table[id], !connection.pointee.isDoomed {
            doom(id, connection)
        }
    }

    /// Ends the use of the ID of a connection that was reported as connected: its index may belong to
    /// a new connection from now on, or, if the connection is still open, from its end on.
    package mutating func release(_ id: ConnectionID) {
        table.release(id)
    }

    /// Closes all connections like ``close(_:at:)``. Turns must follow until ``connectionCount`` is 0.
    package mutating func closeAll(at now: Duration) {
        for id in table.ids {
            close(id, at: now)
        }
    }

    /// Closes all connections, and returns when each has written what was sent, or
    /// ``TransportConfiguration/lingerDuration`` has passed. Returns the connections whose output was
    /// dropped in the end, with its size.
    @discardableResult
    package mutating func closeAll(
        clock: () -> Duration
    ) -> [(credentials: PeerCredentials, unwrittenByteCount: Int)] {
        var unwritten: [(PeerCredentials, Int)] = []
        closeAll(at: clock())
        flush(at: clock())
        while connectionCount > 0 {
            let now = clock()
            wait(until: nil, at: now)
            while let event = next(at: now) {
                if case .unwritten(let credentials, let byteCount) = event {
                    unwritten.append((credentials, byteCount))
                }
            }
            flush(at: now)
        }
        return unwritten
    }

    /// Removes a connection before the next event.
    mutating func doom(
        _ id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>
    ) {
        connection.pointee.isDoomed = true
        discardOutput(of: connection)
        doomed.append(id)
    }

    mutating func removeDoomed(at now: Duration) {
        while let id = doomed.popLast() {
            remove(id, at: now)
        }
    }

    /// Removes a connection, and closes its socket.
    mutating func remove(_ id: ConnectionID, at now: Duration) {
        guard let connection = table[id] else {
            return
        }
        if current?.id == id {
            current = nil
        }
        discardOutput(of: connection)
        if !connection.pointee.isOutgoing {
            let userID = connection.pointee.credentials.userID
            admission.hold(-connection.pointee.held.capacity, of: userID)
            admission.remove(id, of: userID, at: now)
        }
        table.remove(id)
    }
}
