// SPDX-License-Identifier: Apache-2.0

import NATS
import ZeroMQ

/// An event of a ``ServerTransport``.
enum ServerTransportEvent {
    /// A connection is open.
    case connected(maxPayload: Int)
    /// A connection could not be opened.
    case failed(ServerError)
    /// The connection has ended.
    case ended(ServerError)
    case message(ReceivedMessage)
    /// The subject of the request with this reply subject has no subscriber.
    case noResponders(reply: String)
    /// The server has refused a subject.
    case refused(ServerError)
    /// A message to this subject was not published, because it exceeds the largest one that the server accepts.
    case unpublished(subject: String, ServerError)
}

/// A connection to a NATS server. It does not reconnect: its owner opens it again.
///
/// Opening waits for the network, and so may closing: both take place on threads of their own.
final class ServerTransport {
    private struct Dialled: Sendable {
        let connection: ServerConnection
        let publisher: Publisher
    }

    /// The time that the last messages may take to be written when the site ends, and then to reach the server.
    private static let finishMilliseconds = 500

    private let access: SiteServerAccess
    private let secret: SiteSecret
    /// What the connection subscribes to.
    private let pattern: String
    /// The name of the connection in the server's log.
    private let name: String
    private let results: PollableQueue<Result<Dialled, ServerError>>
    private var dialled: Dialled?
    private(set) var isDialling = false
    private(set) var traffic = LinkTraffic()

    /// Throws `ZeroMQError` if the process has reached its limit of descriptors.
    init(
        _ access: SiteServerAccess, _ secret: SiteSecret, pattern: String, name: String
    )
        throws(ZeroMQError)
    {
        self.access = access
        self.secret = secret
        self.pattern = pattern
        self.name = name
        results = try PollableQueue()
    }

    var isConnected: Bool {
        dialled != nil
    }

    var pollItems: [PollItem] {
        dialled?.connection.pollItems ?? [results.pollItem]
    }

    // MARK: - Opening and closing

    /// Opens a connection, unless one is open or being opened.
    func dial() {
        guard !isDialling, dialled == nil else {
            return
        }
        isDialling = true
        let (access, secret, pattern, name, results) = (access, secret, pattern, name, results)
        do throws(ZeroMQError) {
            try OwnThread.detached {
                results.append(
                    contentsOf: [
                        Result { () throws(ServerError) in
                            try Self.open(access, secret, pattern, name)
                        }
                    ])
            }
        } catch {
            results.append(contentsOf: [.failure(ServerError(error))])
        }
    }

    private static func open(
        _ access: SiteServerAccess, _ secret: SiteSecret, _ pattern: String, _ name: String
    ) throws(ServerError) -> Dialled {
        let key: UserKey
        do throws(SiteSecretError) {
            // Read for each attempt, so that a new key needs no restart.
            key = try secret.userKey(configured: access.key)
        } catch {
            throw ServerError(.key, error.description)
        }
        let connection = try ServerConnection(
            ConnectionSettings(
                server: access.address, key: key, trustFile: access.trust, name: name))
        try connection.subscribe(to: pattern)
        try connection.roundTrip()
        return Dialled(connection: connection, publisher: try Publisher(connection))
    }

    /// Closes the connection. No event of it follows.
    func close() {
        guard let dialled else {
            return
        }
        self.dialled = nil
        traffic.ignoredCount += dialled.connection.droppedCount
        dialled.publisher.finish()
        // A thread that publishes may hold the connection while the socket takes no bytes.
        try? OwnThread.detached {
            dialled.connection.close()
        }
    }

    /// Waits for a short time until the server has what was published.
    func finish() {
        guard let dialled else {
            return
        }
        // The thread of a publisher that has not ended may hold the connection while the socket takes no bytes.
        if dialled.publisher.finish(within: Self.finishMilliseconds) {
            try? dialled.connection.roundTrip(timeout: .milliseconds(Self.finishMilliseconds))
        }
    }

    // MARK: - Messages

    /// - Parameter byteCountUnderWay: The unacknowledged bytes of all links over this connection.
    func publish(
        _ bytes: [UInt8], to subject: String, reply: String? = nil,
        whileUnderWay byteCountUnderWay: Int
    ) {
        guard let dialled else {
            return
        }
        traffic.sent(bytes.count)
        dialled.publisher.publish(
            bytes, to: subject, reply: reply, whileUnderWay: byteCountUnderWay)
    }

    func turn() -> [ServerTransportEvent] {
        var events: [ServerTransportEvent] = []
        for result in results.takeAll() {
            isDialling = false
            switch result {
            case .success(let dialled):
                self.dialled = dialled
                events.append(.connected(maxPayload: dialled.connection.maxPayload))
            case .failure(let error):
                events.append(.failed(error))
            }
        }
        for item in dialled?.connection.takeAll() ?? [] {
            switch item {
            case .message(let message):
                traffic.received(message.bytes.count)
                events.append(.message(message))
            case .noResponders(let reply): events.append(.noResponders(reply: reply))
            case .refused(let error): events.append(.refused(error))
            case .unpublished(let subject, let error):
                events.append(.unpublished(subject: subject, error))
            case .ended(let error):
                events.append(.ended(error))
                close()
            }
        }
        return events
    }
}
