// SPDX-License-Identifier: Apache-2.0

/// Bounds of connections: of each user, and of all users.
package struct AdmissionLimits: Equatable, Sendable {
    /// Connections of one user whose handshake is not complete.
    package var unopenedPerUser: Int

    /// New connections of one user in a second, and at once after a second without any.
    package var newPerSecond: Int

    /// Connections of one user. A share of the descriptors; nearly all of them where one user alone can
    /// open the socket.
    package var perUser: Int

    /// Connections of all users.
    package var total: Int

    /// Received bytes of one user that wait for the rest of their message or to be processed.
    package var heldByteCountPerUser: Int

    /// Such bytes of all users.
    package var heldByteCountTotal: Int

    package init(
        unopenedPerUser: Int = 64, newPerSecond: Int = 10_000, perUser: Int, total: Int,
        heldByteCountPerUser: Int = 67_108_864, heldByteCountTotal: Int = .max
    ) {
        self.unopenedPerUser = unopenedPerUser
        self.newPerSecond = newPerSecond
        self.perUser = perUser
        self.total = total
        self.heldByteCountPerUser = heldByteCountPerUser
        self.heldByteCountTotal = heldByteCountTotal
    }
}

/// The limit by which a connection is closed before a byte of it is read.
package enum AdmissionRefusal: Equatable, Sendable, CustomStringConvertible {
    case tooManyUnopened(limit: Int)
    case tooManyPerSecond(limit: Int)
    case tooManyOfUser(limit: Int)
    case tooMany(limit: Int)

    package var description: String {
        switch self {
        case .tooManyUnopened(let limit):
            "the user has \(limit) connections without a complete handshake"
        case .tooManyPerSecond(let limit):
            "the user opens more than \(limit) connections a second"
        case .tooManyOfUser(let limit): "the user has \(limit) connections"
        case .tooMany(let limit): "there are \(limit) connections"
        }
    }
}

/// Counts the connections of each user and the bytes that wait for them, and decides about new ones.
struct Admission {
    private struct User {
        var count = 0
        /// The connections whose handshake is not complete, oldest first.
        var unopened: [ConnectionID] = []
        var heldByteCount = 0
        var waitingByteCount = 0

        /// When the user's connections of the past, at the permitted rate, have all been earned: a
        /// token bucket of one second's size.
        var paidUntil: Duration
    }

    private let limits: AdmissionLimits
    private var users: [UInt32: User] = [:]
    private(set) var count = 0
    /// Bytes that are held for all users.
    private(set) var heldByteCount = 0
    /// Bytes of all users that are yet to be written.
    private(set) var waitingByteCount = 0

    init(_ limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Counts a new connection, or returns why it is refused.
    mutating func admit(_ userID: UInt32, at now: Duration) -> AdmissionRefusal? {
        guard count < limits.total else {
            return .tooMany(limit: limits.total)
        }
        var user = users[userID] ?? User(paidUntil: now)
        guard user.count < limits.perUser else {
            return .tooManyOfUser(limit: limits.perUser)
        }
        let paidUntil = max(user.paidUntil, now) + .seconds(1) / limits.newPerSecond
        guard paidUntil <= now + .seconds(1) else {
            return .tooManyPerSecond(limit: limits.newPerSecond)
        }
        // Last, because the caller may then make room.
        guard user.unopened.count < limits.unopenedPerUser else {
            return .tooManyUnopened(limit: limits.unopenedPerUser)
        }
        user.paidUntil = paidUntil
        user.count += 1
        users[userID] = user
        count += 1
        return nil
    }

    /// Records the beginning of the handshake of an admitted connection.
    mutating func begin(_ id: ConnectionID, of userID: UInt32) {
        users[userID]?.unopened.append(id)
    }

    /// Records that the handshake of a connection is complete.
    mutating func open(_ id: ConnectionID, of userID: UInt32) {
        users[userID]?.unopened.removeAll { $0 == id }
    }

    /// The connection of a user whose handshake has taken longest.
    func oldestUnopened(of userID: UInt32) -> ConnectionID? {
        users[userID]?.unopened.first
    }

    /// Records the end of a connection, or with `nil` that an admitted one was not begun.
    mutating func remove(_ id: ConnectionID?, of userID: UInt32, at now: Duration) {
        count -= 1
        users[userID]?.count -= 1
        if let id {
            open(id, of: userID)
        }
        // A user that connects again within the second is still bound by the rate.
        if let user = users[userID], user.count == 0, user.paidUntil <= now {
            users[userID] = nil
        }
    }

    // MARK: - Bytes

    /// Adds to the bytes that are held for a user; `byteCount` may be negative.
    mutating func hold(_ byteCount: Int, of userID: UInt32) {
        users[userID]?.heldByteCount += byteCount
        heldByteCount += byteCount
    }

    /// The user for which the most bytes are held.
    var largestHolder: UInt32? {
        users.max { $0.value.heldByteCount < $1.value.heldByteCount }?.key
    }

    func heldByteCount(of userID: UInt32) -> Int {
        users[userID]?.heldByteCount ?? 0
    }

    /// Adds to the bytes that connections of a user have yet to write; `byteCount` may be negative.
    mutating func wait(_ byteCount: Int, of userID: UInt32) {
        users[userID]?.waitingByteCount += byteCount
        waitingByteCount += byteCount
    }

    func waitingByteCount(of userID: UInt32) -> Int {
        users[userID]?.waitingByteCount ?? 0
    }
}
