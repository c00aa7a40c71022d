// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// Who is connected, as far as the listener has told: whose connections are too many, and which
/// have been silent for too long.
///
/// At its end a connection is known by its descriptor alone; only then is the number used again.
struct ConnectionBook {
    struct Owner: Equatable {
        var userID: UInt32
        var processID: UInt32
    }

    private struct Connection {
        var id: ConnectionID
        var owner: Owner
        /// Whether the broker has heard a message from it.
        var isHeard: Bool
        /// Whether it has been told to end.
        var isExpelled = false
    }

    /// A connection that nothing had been heard of when it came.
    private struct Mute {
        var connection: ConnectionID
        var acceptedAt: UInt64
    }

    /// How long a connection may be silent before another one may need its place.
    private static let spareNanoseconds: UInt64 = 1_000_000_000

    private let userMax: Int
    private let totalMax: Int
    private let deadlineNanoseconds: UInt64
    private var connections: [Int32: Connection] = [:]
    private var counts: [UInt32: Int] = [:]
    private var admittedCount = 0
    /// Those that the broker has heard before the listener told of them, by their descriptors.
    private var heardEarly: [Int32: ConnectionID] = [:]
    /// Those that nothing has been heard of, oldest first; of each user, and of all together. Some
    /// have spoken or ended since.
    private var mutes: [UInt32: Deque<Mute>] = [:]
    private var allMutes: Deque<Mute> = []

    init(userMax: Int, totalMax: Int, deadlineMilliseconds: UInt32) {
        self.userMax = userMax
        self.totalMax = totalMax
        deadlineNanoseconds = UInt64(deadlineMilliseconds) * 1_000_000
    }

    // MARK: - Coming and going

    /// A connection has been accepted. Returns the one that has to end for it, if any: mostly
    /// itself.
    mutating func accept(
        _ connection: ConnectionID, of owner: Owner, at now: UInt64
    ) -> ConnectionID? {
        _ = remove(connection.descriptor)
        let isHeard = heardEarly.removeValue(forKey: connection.descriptor) == connection
        connections[connection.descriptor] = Connection(
            id: connection, owner: owner, isHeard: isHeard)
        counts[owner.userID, default: 0] += 1
        admittedCount += 1
        if !isHeard {
            let mute = Mute(connection: connection, acceptedAt: now)
            mutes[owner.userID, default: []].append(mute)
            allMutes.append(mute)
        }
        guard isOverLimit(owner.userID) else {
            return nil
        }
        let spare = oldestSpare(of: owner.userID, at: now) ?? connection
        expel(spare)
        return spare
    }

    /// Whether the user has as many connections as allowed, or all users together have.
    private func isOverLimit(_ userID: UInt32) -> Bool {
        counts[userID, default: 0] > userMax || admittedCount > totalMax
    }

    /// A connection has ended. Returns whose it was, if it ended by itself and without a word.
    mutating func remove(_ descriptor: Int32) -> Owner? {
        guard let connection = connections.removeValue(forKey: descriptor) else {
            return nil
        }
        if !connection.isExpelled {
            discount(connection)
        }
        return connection.isHeard || connection.isExpelled ? nil : connection.owner
    }

    /// A connection has spoken. The listener may have yet to tell that it is there.
    mutating func hear(_ connection: ConnectionID) {
        if connections[connection.descriptor]?.id == connection {
            connections[connection.descriptor]?.isHeard = true
        } else {
            heardEarly[connection.descriptor] = connection
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
            mutes[userID] = nil
        }
    }

    // MARK: - Silence

    private func isMute(_ mute: Mute) -> Bool {
        guard let connection = connections[mute.connection.descriptor] else {
            return false
        }
        return connection.id == mute.connection && !connection.isHeard && !connection.isExpelled
    }

    /// The user's connection that has been silent for longest, if that is long enough.
    private mutating func oldestSpare(of userID: UInt32, at now: UInt64) -> ConnectionID? {
        while let oldest = mutes[userID]?.first {
            if isMute(oldest) {
                return oldest.acceptedAt + Self.spareNanoseconds <= now ? oldest.connection : nil
            }
            mutes[userID]?.removeFirst()
        }
        return nil
    }

    /// When the next connection has been silent for too long.
    mutating func nextDeadline() -> UInt64? {
        while let oldest = allMutes.first {
            if isMute(oldest) {
                return oldest.acceptedAt + deadlineNanoseconds
            }
            allMutes.removeFirst()
        }
        return nil
    }

    /// The connection that has been silent for too long by now, if there is one.
    mutating func expelSilent(at now: UInt64) -> (connection: ConnectionID, owner: Owner)? {
        guard let deadline = nextDeadline(), deadline <= now, let oldest = allMutes.first,
            let owner = connections[oldest.connection.descriptor]?.owner
        else {
            return nil
        }
        allMutes.removeFirst()
        expel(oldest.connection)
        return (oldest.connection, owner)
    }
}
