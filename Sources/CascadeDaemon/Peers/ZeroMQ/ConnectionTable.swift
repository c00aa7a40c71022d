// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Glibc

/// The open connections, as far as the listener has reported them: which user has too many, and
/// which have sent no message for too long.
///
/// The end of a connection is reported by its descriptor alone; the kernel reuses the descriptor
/// only after that.
struct ConnectionTable {
    struct Owner: Equatable {
        var userID: UInt32
        var processID: UInt32
    }

    private struct Connection {
        var id: ConnectionID
        var owner: Owner
        /// Whether the broker has received a message from it.
        var isActive: Bool
        /// Whether the guard has shut it down.
        var isExpelled = false
    }

    /// A connection that had sent no message when it was accepted.
    private struct SilentConnection {
        var connection: ConnectionID
        var acceptedAt: UInt64
    }

    /// How long a connection may send no message before a new one of the same user may replace it.
    private static let spareNanoseconds: UInt64 = 1_000_000_000

    private let userMax: Int
    private let totalMax: Int
    private let deadlineNanoseconds: UInt64
    private var connections: [Int32: Connection] = [:]
    private var counts: [UInt32: Int] = [:]
    private var admittedCount = 0
    /// Connections that the broker received a message from before the listener reported them, by
    /// descriptor.
    private var activeEarly: [Int32: ConnectionID] = [:]
    /// Connections that had sent no message when they were accepted, oldest first, by user. Some
    /// have sent one or ended since.
    private var silent: [UInt32: Deque<SilentConnection>] = [:]
    /// The same of all users.
    private var allSilent: Deque<SilentConnection> = []

    init(userMax: Int, totalMax: Int, deadlineMilliseconds: UInt32) {
        self.userMax = userMax
        self.totalMax = totalMax
        deadlineNanoseconds = UInt64(deadlineMilliseconds) * 1_000_000
    }

    // MARK: - Accepting and ending

    /// Adds an accepted connection. Returns the connection that must be closed if a limit is
    /// exceeded: an older silent one, or the new one.
    mutating func accept(
        _ connection: ConnectionID, of owner: Owner, at now: UInt64
    ) -> ConnectionID? {
        _ = remove(connection.descriptor)
        let isActive = activeEarly.removeValue(forKey: connection.descriptor) == connection
        connections[connection.descriptor] = Connection(
            id: connection, owner: owner, isActive: isActive)
        counts[owner.userID, default: 0] += 1
        admittedCount += 1
        if !isActive {
            let entry = SilentConnection(connection: connection, acceptedAt: now)
            silent[owner.userID, default: []].append(entry)
            allSilent.append(entry)
        }
        guard isOverLimit(owner.userID) else {
            return nil
        }
        let spare = oldestSpare(of: owner.userID, at: now) ?? connection
        expel(spare)
        return spare
    }

    /// Whether the user's connections or those of all users exceed their limit.
    private func isOverLimit(_ userID: UInt32) -> Bool {
        counts[userID, default: 0] > userMax || admittedCount > totalMax
    }

    /// Removes an ended connection. Returns its owner if the peer ended it without sending a
    /// message.
    mutating func remove(_ descriptor: Int32) -> Owner? {
        guard let connection = connections.removeValue(forKey: descriptor) else {
            return nil
        }
        if !connection.isExpelled {
            discount(connection)
        }
        return connection.isActive || connection.isExpelled ? nil : connection.owner
    }

    /// Marks a connection as having sent a message, even before the listener has reported it.
    mutating func markActive(_ connection: ConnectionID) {
        if connections[connection.descriptor]?.id == connection {
            connections[connection.descriptor]?.isActive = true
        } else {
            activeEarly[connection.descriptor] = connection
        }
    }

    private mutating func expel(_ connection: ConnectionID) {
        if let known = connections[connection.descriptor], !known.isExpelled {
            connections[connection.descriptor]?.isExpelled = true
            discount(known)
        }
    }

    private mutating func discount(_ connection: Connection) {
        admittedCount -= 1
        let userID = connection.owner.userID
        counts[userID, default: 1] -= 1
        if counts[userID] == 0 {
            counts[userID] = nil
            silent[userID] = nil
        }
    }

    // MARK: - Silence

    private func isSilent(_ entry: SilentConnection) -> Bool {
        guard let connection = connections[entry.connection.descriptor] else {
            return false
        }
        return connection.id == entry.connection && !connection.isActive && !connection.isExpelled
    }

    /// The connection of the user that has been silent for longest, if longer than
    /// ``spareNanoseconds``.
    private mutating func oldestSpare(of userID: UInt32, at now: UInt64) -> ConnectionID? {
        while let oldest = silent[userID]?.first {
            if isSilent(oldest) {
                return oldest.acceptedAt + Self.spareNanoseconds <= now ? oldest.connection : nil
            }
            silent[userID]?.removeFirst()
        }
        return nil
    }

    /// When the next silent connection is closed.
    mutating func nextDeadline() -> UInt64? {
        while let oldest = allSilent.first {
            if isSilent(oldest) {
                return oldest.acceptedAt + deadlineNanoseconds
            }
            allSilent.removeFirst()
        }
        return nil
    }

    /// Returns a connection whose deadline to send a message has passed; `nil` if none.
    mutating func expelSilent(at now: UInt64) -> (connection: ConnectionID, owner: Owner)? {
        guard let deadline = nextDeadline(), deadline <= now, let oldest = allSilent.first,
            let owner = connections[oldest.connection.descriptor]?.owner
        else {
            return nil
        }
        allSilent.removeFirst()
        expel(oldest.connection)
        return (oldest.connection, owner)
    }
}

/// One connection of the listener: the descriptor of its socket, and its inode, which distinguishes
/// it from earlier and later sockets with the same descriptor.
///
/// libzmq opens and closes these descriptors on its own thread, so that a descriptor alone may
/// belong to another connection by the time it is read.
struct ConnectionID: Hashable {
    let descriptor: Int32
    let inode: UInt64

    init(descriptor: Int32, inode: UInt64) {
        self.descriptor = descriptor
        self.inode = inode
    }

    /// The connection that has the descriptor now; `nil` if the descriptor is closed.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return nil
        }
        self.init(descriptor: descriptor, inode: UInt64(status.st_ino))
    }

    /// Closes the connection unless it has ended. libzmq has no call to close one connection of a
    /// socket, but notices shutdown(2).
    func shutDown() {
        if ConnectionID(descriptor: descriptor) == self {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
