// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import Glibc
import Logging
import ZeroMQ

/// Keeps the listener from running out of descriptors, which would end the process: no user has
/// more connections than allowed, and none is silent for long.
///
/// It reads what libzmq tells of accepted and ended connections, on a thread of its own, so that it
/// is hardly ever late. Where it is, libzmq's I/O thread waits for it before it has accepted more
/// connections than there are descriptors for, and every peer with it.
final class ConnectionGuard: SocketThreadDriver {
    /// Where libzmq tells.
    static let endpoint = "inproc://cascade.connections"
    static let events =
        SocketMonitor.Events.accepted | SocketMonitor.Events.disconnected
        | SocketMonitor.Events.handshakeFailed

    /// Events read before handshakes are answered again.
    private static let batch = 64

    private var monitor: SocketMonitor
    private var doorkeeper: Doorkeeper
    private var book: ConnectionBook
    private let heard: HeardConnections
    private let userMax: Int
    /// Whether the peer of the connection that ends next has left by itself. That is told right
    /// before the end, for there is one I/O thread.
    private var hasLeft = false
    private var log: BrokerLog

    init(
        in context: Context, admitting keys: AuthorizedKeys, limits: ConnectionLimits,
        heard: HeardConnections, logger: Logger
    ) throws(ZeroMQError) {
        doorkeeper = try Doorkeeper(in: context, admitting: keys, heard)
        monitor = try SocketMonitor(at: Self.endpoint, in: context, unreadMax: 1)
        book = ConnectionBook(
            userMax: limits.perUser, totalMax: limits.total,
            deadlineMilliseconds: limits.silenceMilliseconds)
        userMax = limits.perUser
        self.heard = heard
        log = BrokerLog(logger)
    }

    var pollItems: [PollItem] {
        [monitor.pollItem, doorkeeper.pollItem]
    }

    /// A peer that connects with a key from now on needs one of these.
    func admit(_ keys: AuthorizedKeys) {
        doorkeeper.keys = keys
    }

    func turn() -> SocketThread.Rest {
        var mayHaveMore = true
        do throws(ZeroMQError) {
            for _ in 0..<Self.batch where mayHaveMore {
                if let event = try monitor.next() {
                    note(event)
                } else {
                    mayHaveMore = false
                }
            }
            try doorkeeper.answer()
        } catch {
            // The context ends.
            return .forever
        }
        noteHeard()
        let now = MonotonicClock.now()
        while let (connection, owner) = book.expelSilent(at: now) {
            connection.shutDown()
            warn(.silent, owner, "\(Self.describe(owner)) had connected, and said nothing")
        }
        log.summarize(at: Instant(nanoseconds: now))
        if mayHaveMore {
            return .poll
        }
        let deadlines = [book.nextDeadline(), log.nextSummary?.nanoseconds].compactMap(\.self)
        return deadlines.min().map { .until($0) } ?? .forever
    }

    private func noteHeard() {
        for connection in heard.take() {
            book.hear(connection)
        }
    }

    private func note(_ event: SocketMonitor.Event) {
        if event.kind == .handshakeFailed {
            hasLeft = event.value == EPIPE || event.value == ECONNRESET
        }
        guard let descriptor = event.fileDescriptor else {
            return
        }
        if event.kind == .accepted {
            accepted(descriptor)
        } else if event.kind == .disconnected {
            noteHeard()
            // A peer that only tests whether a daemon listens has done nothing wrong.
            if let owner = book.remove(descriptor), !hasLeft {
                warn(
                    .silent, owner,
                    "a connection of \(Self.describe(owner)) ended without a message")
            }
            hasLeft = false
        }
    }

    private func accepted(_ descriptor: Int32) {
        // A connection that has ended already has no owner, and soon no entry.
        guard let connection = ConnectionID(descriptor: descriptor),
            let owner = Self.owner(of: descriptor)
        else {
            return
        }
        noteHeard()
        guard let ending = book.accept(connection, of: owner, at: MonotonicClock.now()) else {
            return
        }
        ending.shutDown()
        warn(
            .crowded, owner,
            "\(Self.describe(owner)) has too many connections: more than \(userMax) of one user "
                + "(limit connectionsPerUser), or more than there are descriptors for",
            [.quota: "connectionsPerUser", .limit: "\(userMax)"])
    }

    /// Who has a connection, in the kernel's words; on tcp it has none, and all are of one user.
    private static func owner(of descriptor: Int32) -> ConnectionBook.Owner? {
        var userID = uid_t()
        var groupID = gid_t()
        var processID = pid_t()
        guard cascade_peer_credentials(descriptor, &userID, &groupID, &processID) == 0 else {
            return nil
        }
        return ConnectionBook.Owner(
            userID: userID, processID: UInt32(bitPattern: processID))
    }

    private static func describe(_ owner: ConnectionBook.Owner) -> String {
        owner.processID == 0
            ? "a peer on tcp" : "process \(owner.processID) of user \(owner.userID)"
    }

    private func warn(
        _ kind: LogKind, _ owner: ConnectionBook.Owner, _ sentence: String,
        _ fields: [LogField: String] = [:]
    ) {
        var record = LogRecord(.warning, kind, sentence, fields)
        record.fields[.peerProcess] = owner.processID == 0 ? nil : "\(owner.processID)"
        log.write(record, at: Instant(nanoseconds: MonotonicClock.now()))
    }
}
