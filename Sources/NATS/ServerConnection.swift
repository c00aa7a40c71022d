// SPDX-License-Identifier: Apache-2.0

import CNATS
package import ZeroMQ

/// The settings of a connection to a NATS server.
package struct ConnectionSettings: Sendable {
    package var server: ServerAddress
    package var key: UserKey
    /// The file with the certificates that are trusted, in PEM; `nil` for a connection without TLS.
    package var trustFile: String?
    /// The name that the server's certificate must have; by default the host of ``server``.
    package var serverName: String?
    /// The name of the connection in the server's log.
    package var name: String
    /// The time for each step of dialling.
    package var timeout = Duration.seconds(2)

    package init(
        server: ServerAddress, key: UserKey, trustFile: String?, serverName: String? = nil,
        name: String
    ) {
        self.server = server
        self.key = key
        self.trustFile = trustFile
        self.serverName = serverName
        self.name = name
    }
}

/// One connection to a NATS server. It is never renewed: after its end the owner opens another one.
///
/// One thread at a time takes what the connection brings; any thread may publish.
package final class ServerConnection: Sendable {
    /// A connection whose socket takes no bytes for so many milliseconds ends. With TLS the library's timer, which
    /// finds dead connections, waits meanwhile.
    static let writeDeadline: Int32 = 4_000

    // The library's functions for one connection may be called from any thread.
    private nonisolated(unsafe) let handle: OpaquePointer
    private let token: Int
    /// `nil` with TLS: then threads of the library read the socket.
    private let socket: ServerSocket?
    /// What threads of the library bring.
    let inbox: Inbox
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var subscriptions: [OpaquePointer] = []
    private nonisolated(unsafe) var lastReply: String?

    /// The largest message that the server accepts, in bytes.
    package let maxPayload: Int

    /// Opens a connection, and waits for it. Throws ``ServerError``, which names the step that failed.
    /// An error of the key is thrown after the third one in a row.
    ///
    /// - Parameter inboxByteCountMax: The most bytes of messages that wait to be taken, where threads of the library
    ///   receive them.
    package init(
        _ settings: ConnectionSettings, inboxByteCountMax: Int = 100_663_296
    ) throws(ServerError) {
        inbox = try Inbox(byteCountMax: inboxByteCountMax)
        socket =
            settings.trustFile == nil
            ? try ServerSocket(writeMilliseconds: Self.writeDeadline) : nil
        token = InboxRegistry.insert(inbox)
        do throws(ServerError) {
            handle = try Self.connect(settings, token, socket)
        } catch {
            InboxRegistry.remove(token)
            throw error
        }
        maxPayload = Int(clamping: natsConnection_GetMaxPayload(handle))
    }

    deinit {
        close()
        socket?.destroyDiscarded()
        for subscription in subscriptions {
            natsSubscription_Destroy(subscription)
        }
        natsConnection_Destroy(handle)
        InboxRegistry.remove(token)
    }

    /// Ends the connection.
    package func close() {
        natsConnection_Close(handle)
    }

    // MARK: - Messages

    /// What wakes the owner's event loop.
    package var pollItems: [PollItem] {
        [inbox.pollItem] + (socket?.pollItems ?? [])
    }

    /// Removes and returns what has arrived. Does not wait.
    package func takeAll() -> [InboxItem] {
        guard let socket else {
            return inbox.takeAll()
        }
        socket.read()
        let messages = socket.takeMessages(
            of: lock.withLock { subscriptions }, lastReply: lock.withLock { lastReply })
        return messages + inbox.takeAll()
    }

    /// The number of messages that were dropped because the owner did not take them in time.
    package var droppedCount: UInt64 {
        inbox.droppedCount
    }

    /// Publishes a message. Waits while the socket takes no bytes. Throws ``ServerError`` if the
    /// connection has ended, or if the message exceeds ``maxPayload``.
    ///
    /// With a `reply` subject, which the connection must subscribe to, the inbox is told if `subject` has
    /// no subscriber.
    package func publish(
        _ bytes: [UInt8], to subject: String, reply: String? = nil
    ) throws(ServerError) {
        if let reply {
            lock.withLock { lastReply = reply }
        }
        let status = bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress
            let count = Int32(clamping: buffer.count)
            return send {
                if let reply {
                    natsConnection_PublishRequest(handle, subject, reply, start, count)
                } else {
                    natsConnection_Publish(handle, subject, start, count)
                }
            }
        }
        guard status != NATS_MAX_PAYLOAD else {
            throw ServerError(
                .library,
                "a message of \(bytes.count) bytes exceeds the maximum of the server, "
                    + "\(natsConnection_GetMaxPayload(handle)) bytes")
        }
        try check(status, .connection)
    }

    /// Subscribes to a subject or pattern. The server's refusal comes to the inbox.
    package func subscribe(to subject: String) throws(ServerError) {
        var subscription: OpaquePointer?
        let status = send {
            if socket == nil {
                natsConnection_Subscribe(
                    &subscription, handle, subject,
                    { _, _, message, context in
                        ServerConnection.receive(message, context)
                    }, UnsafeMutableRawPointer(bitPattern: token))
            } else {
                natsConnection_SubscribeSync(&subscription, handle, subject)
            }
        }
        try check(status, .connection)
        guard let subscription else {
            return
        }
        lock.withLock { subscriptions.append(subscription) }
        // The messages are copied at once, so none waits in the library.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
    }

    /// Calls a function of the library that sends, and waits until all is written.
    private func send(_ function: () -> natsStatus) -> natsStatus {
        guard let socket else {
            return function()
        }
        defer { socket.writeAll() }
        return socket.call(function)
    }

    /// Waits until the server has processed all that was sent. Throws ``ServerError`` after `timeout`.
    package func roundTrip(timeout: Duration = .seconds(2)) throws(ServerError) {
        guard let socket else {
            return try check(flush(timeout), .connection)
        }
        // The library waits for the answer, which this thread must read.
        let results: PollableQueue<natsStatus>
        do throws(ZeroMQError) {
            let queue = try PollableQueue<natsStatus>()
            results = queue
            try OwnThread.detached { queue.append(contentsOf: [self.flush(timeout)]) }
        } catch {
            throw ServerError(error)
        }
        while true {
            if let status = results.takeAll().first {
                return try check(status, .connection)
            }
            var poller = Poller()
            _ = poller.add([results.pollItem] + socket.pollItems)
            _ = try? poller.wait(timeoutMilliseconds: -1)
            socket.read()
        }
    }

    private func flush(_ timeout: Duration) -> natsStatus {
        natsConnection_FlushTimeout(handle, timeout.milliseconds)
    }

    /// Throws ``ServerError`` if the server has refused a subject. After ``roundTrip(timeout:)`` it knows of all that
    /// were used before; the inbox may learn of a refusal later.
    package func checkPermissions() throws(ServerError) {
        var text: UnsafePointer<CChar>?
        if natsConnection_GetLastError(handle, &text) == NATS_NOT_PERMITTED {
            throw Self.lastError(of: handle, .permission)
        }
    }

    private static func receive(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?
    ) {
        defer { natsMsg_Destroy(message) }
        if let message, let item = InboxItem(message) {
            InboxRegistry.inbox(context)?.append(item)
        }
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
