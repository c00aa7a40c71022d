// SPDX-License-Identifier: Apache-2.0

/// The memory of unfinished messages: counted for each user, and limited.
extension Transport {
    /// Changes what a connection holds, and counts it for its user. Returns whether that takes more memory
    /// than before.
    @discardableResult
    mutating func hold(
        _ connection: UnsafeMutablePointer<PeerConnection>, _ change: (inout HeldBytes) -> Void
    ) -> Bool {
        let before = connection.pointee.held.capacity
        change(&connection.pointee.held)
        let after = connection.pointee.held.capacity
        if after != before, !connection.pointee.isOutgoing {
            admission.hold(after - before, of: connection.pointee.credentials.userID)
        }
        return after > before
    }

    /// Whether a connection that holds more than before is one too many: the unfinished messages of its
    /// user exceed their limit. Messages that wait for their turn may have as much again, because the
    /// transport has chosen to read them. The beginning of a small message is never too much.
    private func holdsTooMuch(
        _ connection: UnsafeMutablePointer<PeerConnection>, hasEvents: Bool
    ) -> Bool {
        guard !connection.pointee.isOutgoing,
            connection.pointee.held.capacity > Self.movedByteCountMax
        else {
            return false
        }
        let byteCount = admission.heldByteCount(of: connection.pointee.credentials.userID)
        let limit = configuration.admission.heldByteCountPerUser
        return byteCount - (hasEvents ? limit : 0) > limit
    }

    /// Ends a connection whose held bytes have grown if those of its user exceed their limit, else the
    /// largest ones if those of all users do. Returns whether the connection is still there.
    mutating func limitHeldBytes(
        of id: ConnectionID, _ connection: UnsafeMutablePointer<PeerConnection>, hasEvents: Bool,
        at now: Duration
    ) -> Bool {
        if !connection.pointee.isClosing, holdsTooMuch(connection, hasEvents: hasEvents) {
            let limit = configuration.admission.heldByteCountPerUser
            end(id, connection, .tooManyHeldBytes(limit: limit), at: now)
            return false
        }
        endLargestHolders(hasEvents: hasEvents, at: now)
        return table[id] != nil
    }

    /// Ends the connections that hold the most while the unfinished messages of all users exceed their
    /// limit. As for one user, messages that wait for their turn may have as much again.
    private mutating func endLargestHolders(hasEvents: Bool, at now: Duration) {
        let limit = configuration.admission.heldByteCountTotal
        while admission.heldByteCount - (hasEvents ? limit : 0) > limit,
            let userID = admission.largestHolder, let id = largestHolder(of: userID),
            let connection = table[id]
        {
            end(id, connection, .tooManyHeldBytesInTotal(limit: limit), at: now)
        }
    }

    private func largestHolder(of userID: UInt32) -> ConnectionID? {
        var largest: (id: ConnectionID, byteCount: Int)?
        for id in table.ids {
            if let connection = table[id], !connection.pointee.isOutgoing,
                connection.pointee.credentials.userID == userID,
                connection.pointee.held.capacity > largest?.byteCount ?? 0
            {
                largest = (id, connection.pointee.held.capacity)
            }
        }
        return largest?.id
    }
}
