// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire
import Logging
import ZeroMQ

/// Carries a link's messages over libzmq: it is driven by the thread that the link runs on.
final class ZeroMQTransport: SessionTransport {
    private unowned let link: Link
    private let thread: SocketThread
    private var connection: Connection
    private let logger: Logger
    private(set) var pollItemsRevision = 0
    private var delay = ReconnectDelay()
    /// When to connect again, in `MonotonicClock` nanoseconds; `nil` while there is a connection.
    private var reconnectsAt: UInt64?
    /// Where nothing else may tell that the connection is broken.
    private var silence: SilenceLimit?

    /// Messages taken in one turn before the jobs of the thread get their chance.
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
        // The link and its transport live on the same thread, which is the one that gives the turn.
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

    /// Connects again, if it is time to. The sockets of connections that have just been given up
    /// may be all that a context may have: then a later one gets one.
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
