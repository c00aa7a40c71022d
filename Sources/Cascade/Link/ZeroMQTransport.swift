// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Logging
import ZeroMQ

/// The transport over libzmq, driven by the thread on which the link runs.
final class ZeroMQTransport: SessionTransport {
    private unowned let link: Link
    private let thread: SocketThread
    private var connection: Connection
    private let logger: Logger
    private(set) var pollItemsRevision = 0
    private var delay = ReconnectDelay()
    /// The time of the next connection, in `MonotonicClock` nanoseconds; `nil` while there is one.
    private var reconnectsAt: UInt64?
    /// The silence limit of a remote connection; `nil` where a broken connection is always
    /// reported.
    private var silence: SilenceLimit?

    /// The maximum number of messages in one turn before the thread runs its jobs.
    private static let batch = 256

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
    }

    func send(_ header: Header) {
        connection.send(header)
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

extension ZeroMQTransport: SocketThreadDriver {
    var pollItems: [PollItem] {
        connection.pollItems
    }

    func turn() -> SocketThread.Rest {
        // Safe: the link and its transport share the thread that calls this turn.
        nonisolated(unsafe) let transport = self
        return link.assumeIsolated { link in
            do {
                return try transport.turn(link)
            } catch {
                transport.logger.error("\(error)")
                return .forever
            }
        }
    }

    private func turn(_ link: isolated Link) throws -> SocketThread.Rest {
        connectAgain(link)
        var hasHeard = false
        for _ in 0..<Self.batch {
            guard let header = try connection.receive() else {
                try noteChanges(link)
                noteSilence(link, endedBy: hasHeard)
                connection.flush()
                return (reconnectsAt ?? silence?.deadline).map { .until($0) } ?? .forever
            }
            hasHeard = true
            link.received(header, connection.message.bytes)
            if header.command == .welcome {
                delay.reset()
                connection.keepEndpoint()
                silence?.learn(beatMilliseconds: link.session.beatMilliseconds)
            }
        }
        noteSilence(link, endedBy: true)
        connection.flush()
        return .poll
    }

    /// Connects again if the delay has passed. If abandoned sockets still use up the context's
    /// limit, a later attempt succeeds.
    private func connectAgain(_ link: isolated Link) {
        guard let due = reconnectsAt, due <= MonotonicClock.now() else {
            return
        }
        do {
            try connection.open()
            pollItemsRevision += 1
            reconnectsAt = nil
            silence?.heard(at: MonotonicClock.now())
            link.connected()
        } catch {
            logger.error("\(error)")
            reconnect()
        }
    }

    private func noteSilence(_ link: isolated Link, endedBy hasHeard: Bool) {
        guard let deadline = silence?.deadline, reconnectsAt == nil else {
            return
        }
        let now = MonotonicClock.now()
        if hasHeard {
            silence?.heard(at: now)
        } else if deadline <= now {
            link.disconnected()
        }
    }

    private func noteChanges(_ link: isolated Link) throws {
        while let change = try connection.change() {
            switch change {
            case .broken: link.disconnected()
            case .foundNobody where connection.isOutdated: link.disconnected()
            case .foundNobody: link.foundNobody()
            case .turnedAway: link.turnedAway()
            }
        }
    }
}
