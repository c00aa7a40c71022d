// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Logging
import ZeroMQ

/// The transport of a link over one kind of connection, driven by the thread on which the link
/// runs.
final class WorkerTransport<Connection: WorkerConnection & ~Copyable>: SessionTransport {
    private unowned let link: Link
    private let thread: SocketThread
    private var connection: Connection
    private let logger: Logger
    /// Whether the log has the absence of a bus since the last connection.
    private var hasLoggedAbsence = false
    private(set) var pollItemsRevision = 0
    private var delay = ReconnectDelay()
    /// The time of the next connection, in `MonotonicClock` nanoseconds; `nil` while there is one.
    private var reconnectsAt: UInt64?
    /// The silence limit of a remote connection; `nil` where a broken connection is always
    /// reported.
    private var silence: SilenceLimit?

    /// The maximum number of messages in one turn before the thread runs its jobs.
    private static var batch: Int { 256 }

    init(link: Link, thread: SocketThread, connection: consuming Connection, logger: Logger) throws
    {
        self.link = link
        self.thread = thread
        self.logger = logger
        var connection = connection
        try connection.open()
        silence = connection.isRemote ? SilenceLimit(at: MonotonicClock.now()) : nil
        self.connection = connection
        thread.attach(self)
        let threadUse = link.threadUse
        thread.reportJobs(longerThan: ThreadUse.longNanoseconds) { nanoseconds in
            let warning = threadUse.warning(afterHolding: nanoseconds, at: MonotonicClock.now())
            if let warning {
                logger.warning("\(warning)")
            }
        }
    }

    var isConnected: Bool {
        false
    }

    var writesInTurns: Bool {
        true
    }

    func send(_ header: Header) {
        connection.send(header, fields: [], payload: [])
    }

    func send(_ message: [UInt8]) {
        connection.send(message)
    }

    func send(_ header: Header, fields: [UInt8], payload: [UInt8]) {
        connection.send(header, fields: fields, payload: payload)
    }

    func reconnect() {
        connection.abandon()
        pollItemsRevision += 1
        reconnectsAt = MonotonicClock.now() + delay.next()
    }

    func close() {
        thread.detach()
        connection.close()
    }
}

extension WorkerTransport: SocketThreadDriver where Connection: ~Copyable {
    var pollItems: [PollItem] {
        connection.pollItems
    }

    func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? {
        connection.sleep(milliseconds: milliseconds, wakeup: wakeup)
    }

    func turn() -> SocketThread.Rest {
        // Safe: the link and its transport share the thread that calls this turn.
        nonisolated(unsafe) let transport = self
        return link.assumeIsolated { link in
            defer { link.releaseWork() }
            do {
                return try transport.turn(link)
            } catch {
                transport.logger.error("\(error)")
                return .forever
            }
        }
    }

    private func turn(_ link: isolated Link) throws -> SocketThread.Rest {
        reconnectIfDue()
        connection.beginTurn(waiting: false)
        // A connection may be ready since it was opened.
        try processChanges(link)
        var count = 0
        while count < Self.batch, let header = try connection.receive() {
            count += 1
            link.received(header, connection.message.bytes)
            if header.command == .welcome {
                delay.reset()
                hasLoggedAbsence = false
                connection.fixEndpoint()
                silence?.setBeat(milliseconds: link.session.beatMilliseconds)
            }
        }
        if count < Self.batch {
            try processChanges(link)
        }
        checkSilence(link, endedBy: count > 0)
        connection.flush()
        if count == Self.batch || connection.hasWork {
            return .poll
        }
        let deadlines = [reconnectsAt ?? silence?.deadline, connection.nextDeadline]
        return deadlines.compactMap(\.self).min().map { .until($0) } ?? .forever
    }

    /// Connects again if the delay has passed. If abandoned sockets still use up the context's
    /// limit, a later attempt succeeds.
    private func reconnectIfDue() {
        guard let due = reconnectsAt, due <= MonotonicClock.now() else {
            return
        }
        do {
            try connection.open()
            pollItemsRevision += 1
            reconnectsAt = nil
            silence?.messageReceived(at: MonotonicClock.now())
        } catch {
            logger.error("\(error)")
            reconnect()
        }
    }

    /// Disconnects after the silence limit, unless messages have just been received.
    private func checkSilence(_ link: isolated Link, endedBy hasReceived: Bool) {
        guard let deadline = silence?.deadline, reconnectsAt == nil else {
            return
        }
        let now = MonotonicClock.now()
        if hasReceived {
            silence?.messageReceived(at: now)
        } else if deadline <= now {
            link.disconnected()
        }
    }

    private func processChanges(_ link: isolated Link) throws {
        while let change = try connection.change() {
            switch change {
            case .ready: link.connected()
            case .broken: link.disconnected()
            case .noBusFound where connection.isOutdated: link.disconnected()
            case .noBusFound:
                link.noBusFound()
                if !hasLoggedAbsence {
                    hasLoggedAbsence = true
                    logger.notice("no bus at \(connection.endpoint); waiting for it")
                }
                if !connection.retriesItself {
                    reconnect()
                }
            case .refused: reconnect()
            case .keyRejected: link.keyRejected()
            }
        }
    }
}

/// The delay before the next connection: none after a connection that served, then 20 ms, doubled
/// after each failure up to 200 ms, so that clients do not overload a bus that rejects them. Each
/// delay is longer or shorter by up to a half, so that clients that were rejected together do not
/// return together.
package struct ReconnectDelay {
    private static let firstNanoseconds: UInt64 = 20_000_000
    private static let mostNanoseconds: UInt64 = 200_000_000

    private var nanoseconds: UInt64 = 0

    package init() {}

    /// Resets the delay, after the daemon has accepted the session.
    package mutating func reset() {
        nanoseconds = 0
    }

    /// Returns the delay before the next connection, in nanoseconds.
    package mutating func next() -> UInt64 {
        defer {
            nanoseconds = min(max(2 * nanoseconds, Self.firstNanoseconds), Self.mostNanoseconds)
        }
        return UInt64.random(in: (nanoseconds / 2)...(nanoseconds + nanoseconds / 2))
    }
}

/// The time after which a connection without received messages counts as broken: ten beats of the
/// daemon. On tcp a peer may disappear without an error, with its machine or the network.
///
/// Source: Protocol, "Liveness".
package struct SilenceLimit {
    private static let beats: UInt64 = 10

    /// The beat interval, one second until the daemon announces its own.
    private var beatNanoseconds: UInt64 = 1_000_000_000
    private var lastMessageAt: UInt64

    /// Starts at the time of the connection, in `MonotonicClock` nanoseconds.
    package init(at now: UInt64) {
        lastMessageAt = now
    }

    package mutating func messageReceived(at now: UInt64) {
        lastMessageAt = now
    }

    package mutating func setBeat(milliseconds: UInt32) {
        beatNanoseconds = UInt64(milliseconds) * 1_000_000
    }

    /// The time at which the connection counts as broken, in `MonotonicClock` nanoseconds.
    package var deadline: UInt64 {
        lastMessageAt + Self.beats * beatNanoseconds
    }
}
