// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import Glibc
import Logging
import Synchronization
import ZeroMQ

/// Keeps the listener from running out of descriptors, which would end the process: bounds each
/// user's connections, and closes those that send no message.
///
/// The guard reads libzmq's events of accepted and ended connections on a thread of its own, so
/// that it is rarely late. When it is, libzmq's I/O thread, and with it every peer, waits for the
/// guard before it accepts more connections than there are descriptors.
final class ConnectionGuard: SocketThreadDriver {
    /// The endpoint of libzmq's monitor events.
    static let endpoint = "inproc://cascade.connections"
    static let events =
        SocketMonitor.Events.accepted | SocketMonitor.Events.disconnected
        | SocketMonitor.Events.handshakeFailed

    /// Events read before handshakes are answered again.
    private static let batch = 64

    private var monitor: SocketMonitor
    private var authenticator: Authenticator
    private var table: ConnectionTable
    private let activity: ConnectionActivity
    private let userMax: Int
    /// Whether the peer closed the connection that ends next. libzmq reports this right before the
    /// end of the same connection, since it has a single I/O thread.
    private var hasLeft = false
    private var log: BrokerLog

    init(
        in context: Context, admitting keys: AuthorizedKeys, limits: DescriptorLimits,
        silenceMilliseconds: UInt32, activity: ConnectionActivity, logger: Logger
    ) throws(ZeroMQError) {
        authenticator = try Authenticator(in: context, admitting: keys, activity)
        monitor = try SocketMonitor(at: Self.endpoint, in: context, unreadMax: 1)
        table = ConnectionTable(
            userMax: limits.perUser, totalMax: limits.total,
            deadlineMilliseconds: silenceMilliseconds)
        userMax = limits.perUser
        self.activity = activity
        log = BrokerLog(logger)
    }

    var pollItems: [PollItem] {
        [monitor.pollItem, authenticator.pollItem]
    }

    /// Replaces the keys that new connections may authenticate with.
    func admit(_ keys: AuthorizedKeys) {
        authenticator.keys = keys
    }

    func turn() -> SocketThread.Rest {
        var mayHaveMore = true
        do throws(ZeroMQError) {
            for _ in 0..<Self.batch where mayHaveMore {
                if let event = try monitor.next() {
                    process(event)
                } else {
                    mayHaveMore = false
                }
            }
            try authenticator.answer()
        } catch {
            // The context ends.
            return .forever
        }
        applyActivity()
        let now = MonotonicClock.now()
        while let (connection, owner) = table.expelSilent(at: now) {
            connection.shutDown()
            warn(.silent, owner, "\(Self.describe(owner)) connected and sent no message")
        }
        log.summarize(at: Instant(nanoseconds: now))
        if mayHaveMore {
            return .poll
        }
        let deadlines = [table.nextDeadline(), log.nextSummary?.nanoseconds].compactMap(\.self)
        return deadlines.min().map { .until($0) } ?? .forever
    }

    private func applyActivity() {
        for connection in activity.take() {
            table.markActive(connection)
        }
    }

    private func process(_ event: SocketMonitor.Event) {
        if event.kind == .handshakeFailed {
            hasLeft = event.value == EPIPE || event.value == ECONNRESET
        }
        guard let descriptor = event.fileDescriptor else {
            return
        }
        if event.kind == .accepted {
            accepted(descriptor)
        } else if event.kind == .disconnected {
            applyActivity()
            // A peer that only probes whether the daemon listens has done nothing wrong.
            if let owner = table.remove(descriptor), !hasLeft {
                warn(
                    .silent, owner,
                    "a connection of \(Self.describe(owner)) ended without a message")
            }
            hasLeft = false
        }
    }

    private func accepted(_ descriptor: Int32) {
        // A connection that has already ended has no owner; the event of its end follows.
        guard let connection = ConnectionID(descriptor: descriptor),
            let owner = Self.owner(of: descriptor)
        else {
            return
        }
        applyActivity()
        guard let ending = table.accept(connection, of: owner, at: MonotonicClock.now()) else {
            return
        }
        ending.shutDown()
        warn(
            .crowded, owner,
            "\(Self.describe(owner)) has too many connections: more than \(userMax) of one user "
                + "(limit connectionsPerUser), or more than the descriptors allow",
            [.quota: "connectionsPerUser", .limit: "\(userMax)"])
    }

    /// The owner of a connection according to the kernel. On tcp the process ID is 0 and all
    /// connections belong to one user.
    private static func owner(of descriptor: Int32) -> ConnectionTable.Owner? {
        var userID = uid_t()
        var groupID = gid_t()
        var processID = pid_t()
        guard cascade_peer_credentials(descriptor, &userID, &groupID, &processID) == 0 else {
            return nil
        }
        return ConnectionTable.Owner(
            userID: userID, processID: UInt32(bitPattern: processID))
    }

    private static func describe(_ owner: ConnectionTable.Owner) -> String {
        owner.processID == 0
            ? "a peer on tcp" : "process \(owner.processID) of user \(owner.userID)"
    }

    private func warn(
        _ kind: LogKind, _ owner: ConnectionTable.Owner, _ sentence: String,
        _ fields: [LogField: String] = [:]
    ) {
        var record = LogRecord(.warning, kind, sentence, fields)
        record.userID = owner.userID
        record.fields[.peerProcess] = owner.processID == 0 ? nil : "\(owner.processID)"
        log.write(record, at: Instant(nanoseconds: MonotonicClock.now()))
    }
}

/// Runs the connection guard on its thread: opens and closes it from other tasks.
actor GuardServer {
    private let thread: SocketThread
    private var connectionGuard: ConnectionGuard?

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Answers handshakes from now on. Must be called before the first endpoint is bound.
    func open(
        _ libzmq: Libzmq, admitting keys: AuthorizedKeys?, limits: DescriptorLimits,
        silenceMilliseconds: UInt32, logger: Logger
    ) throws {
        let connectionGuard = try ConnectionGuard(
            in: libzmq.context, admitting: keys ?? AuthorizedKeys(), limits: limits,
            silenceMilliseconds: silenceMilliseconds, activity: libzmq.activity,
            logger: logger)
        self.connectionGuard = connectionGuard
        thread.attach(connectionGuard)
    }

    /// Replaces the keys that new connections may authenticate with.
    func admit(_ keys: AuthorizedKeys) {
        connectionGuard?.admit(keys)
    }

    func close() {
        thread.detach()
        connectionGuard = nil
    }
}

/// The state that the broker's and the guard's thread share: the connections from which the broker has
/// received a first message, and the number of admitted connections.
///
/// Unchecked, because the compiler cannot see that the lock guards the mutable state.
final class ConnectionActivity: @unchecked Sendable {
    private let lock = Lock()
    private var connections: [ConnectionID] = []
    private let admissions = Atomic<UInt32>(0)

    /// Connections that the authenticator has admitted, modulo 2³². A connection is counted before
    /// libzmq assigns its routing ID.
    var admissionCount: UInt32 {
        admissions.load(ordering: .acquiring)
    }

    func countAdmission() {
        admissions.wrappingAdd(1, ordering: .releasing)
    }

    func add(_ connection: ConnectionID) {
        lock.withLock { connections.append(connection) }
    }

    /// Returns the connections added since the last call.
    func take() -> [ConnectionID] {
        lock.withLock {
            defer { connections = [] }
            return connections
        }
    }
}
