// SPDX-License-Identifier: Apache-2.0

import CNATS
import ZeroMQ

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
/// Messages and errors go to the ``Inbox``. Any thread may call its functions.
package final class ServerConnection: Sendable {
    private static let pingInterval: Int64 = 2_000
    private static let pingCountMax: Int32 = 2
    /// The library ends a connection whose socket takes no bytes for so many milliseconds. While it waits for the
    /// socket, its timer waits too, which finds dead connections.
    private static let writeDeadline: Int64 = 4_000
    /// The library sends no signature when it begins with a zero byte, so one connection of 256 is refused
    /// as if the key were wrong.
    private static let keyAttempts = 3

    // The library's functions for one connection may be called from any thread.
    private nonisolated(unsafe) let handle: OpaquePointer
    private let token: Int
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var subscriptions: [OpaquePointer] = []

    /// The largest message that the server accepts, in bytes.
    package let maxPayload: Int

    /// Opens a connection, and waits for it. Throws ``ServerError``, which names the step that failed.
    /// An error of the key is thrown after the third one in a row.
    package init(_ settings: ConnectionSettings, inbox: Inbox) throws(ServerError) {
        token = InboxRegistry.insert(inbox)
        do throws(ServerError) {
            handle = try Self.connect(settings, token)
        } catch {
            InboxRegistry.remove(token)
            throw error
        }
        maxPayload = Int(clamping: natsConnection_GetMaxPayload(handle))
    }

    deinit {
        close()
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

    /// Publishes a message. Waits while the socket takes no bytes. Throws ``ServerError`` if the
    /// connection has ended, or if the message exceeds ``maxPayload``.
    ///
    /// With a `reply` subject, which the connection must subscribe to, the inbox is told if `subject` has
    /// no subscriber.
    package func publish(
        _ bytes: [UInt8], to subject: String, reply: String? = nil
    ) throws(ServerError) {
        let status = bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress
            let count = Int32(clamping: buffer.count)
            return if let reply {
                natsConnection_PublishRequest(handle, subject, reply, start, count)
            } else {
                natsConnection_Publish(handle, subject, start, count)
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
        let status = natsConnection_Subscribe(
            &subscription, handle, subject,
            { _, _, message, context in
                ServerConnection.receive(message, context)
            }, UnsafeMutableRawPointer(bitPattern: token))
        try check(status, .connection)
        guard let subscription else {
            return
        }
        lock.withLock { subscriptions.append(subscription) }
        // The callback copies at once, so nothing waits in the library.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
    }

    /// Waits until the server has processed all that was sent. Throws ``ServerError`` after `timeout`.
    package func roundTrip(timeout: Duration = .seconds(2)) throws(ServerError) {
        try check(
            natsConnection_FlushTimeout(handle, timeout.milliseconds), .connection)
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
        guard let message, let inbox = InboxRegistry.inbox(context),
            let subject = natsMsg_GetSubject(message)
        else {
            return
        }
        guard !natsMsg_IsNoResponders(message) else {
            inbox.append(.noResponders(reply: String(cString: subject)))
            return
        }
        let bytes = UnsafeRawBufferPointer(
            start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
        inbox.append(
            .message(ReceivedMessage(subject: String(cString: subject), bytes: Array(bytes))))
    }

    // MARK: - Dialling

    private static func connect(
        _ settings: ConnectionSettings, _ token: Int
    ) throws(ServerError) -> OpaquePointer {
        try settings.server.probe(timeout: settings.timeout)
        var options: OpaquePointer?
        try check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        try configure(options, settings, token)
        var status = NATS_OK
        for _ in 0..<keyAttempts {
            var handle: OpaquePointer?
            status = natsConnection_Connect(&handle, options)
            if status == NATS_OK, let handle {
                return handle
            }
            guard status == NATS_CONNECTION_AUTH_FAILED else {
                break
            }
        }
        throw ServerError(step(of: status), status)
    }

    private static func step(of status: natsStatus) -> ServerError.Step {
        switch status {
        case NATS_CONNECTION_AUTH_FAILED: .key
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: .tls
        case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR: .tcp
        default: .connection
        }
    }

    private static func configure(
        _ options: OpaquePointer?, _ settings: ConnectionSettings, _ token: Int
    ) throws(ServerError) {
        let context = UnsafeMutableRawPointer(bitPattern: token)
        let scheme = settings.trustFile == nil ? "nats" : "tls"
        try check(natsOptions_SetURL(options, "\(scheme)://\(settings.server)"))
        try check(natsOptions_SetName(options, settings.name))
        try check(natsOptions_SetTimeout(options, settings.timeout.milliseconds))
        try check(natsOptions_SetAllowReconnect(options, false))
        try check(natsOptions_SetIgnoreDiscoveredServers(options, true))
        try check(natsOptions_SetPingInterval(options, pingInterval))
        try check(natsOptions_SetMaxPingsOut(options, pingCountMax))
        try check(natsOptions_SetWriteDeadline(options, writeDeadline))
        // Publishing writes to the socket: the owner publishes once a turn, in large messages.
        try check(natsOptions_SetSendAsap(options, true))
        try check(
            natsOptions_SetErrorHandler(
                options,
                { connection, _, status, context in
                    ServerConnection.reportRefusal(of: connection, status, context)
                }, context))
        try check(
            natsOptions_SetClosedCB(
                options,
                { connection, context in
                    InboxRegistry.inbox(context)?.append(
                        .ended(ServerConnection.lastError(of: connection, .connection)))
                }, context))
        if let trustFile = settings.trustFile {
            try check(natsOptions_SetSecure(options, true))
            try check(natsOptions_LoadCATrustedCertificates(options, trustFile), .tls)
            try check(
                natsOptions_SetExpectedHostname(
                    options, settings.serverName ?? settings.server.host))
        }
        try configureKey(options, settings.key)
    }

    /// Gives the library the public key, and a function that signs the server's nonce.
    private static func configureKey(
        _ options: OpaquePointer?, _ key: UserKey
    ) throws(ServerError) {
        // The options outlive no connection attempt, but a connection keeps a copy of them: the seed
        // stays in memory as long as the process.
        let seed = SeedRegistry.pointer(to: key.seed)
        try check(
            natsOptions_SetNKey(
                options, key.publicKey,
                { errorText, signature, signatureLength, nonce, seed in
                    guard let seed else {
                        return NATS_ERR
                    }
                    return nats_Sign(
                        seed.assumingMemoryBound(to: CChar.self), nonce, signature, signatureLength)
                }, seed))
    }

    // MARK: - Errors

    private static func reportRefusal(
        of connection: OpaquePointer?, _ status: natsStatus, _ context: UnsafeMutableRawPointer?
    ) {
        // Other errors end the connection, or concern the library's own queues.
        if status == NATS_NOT_PERMITTED {
            InboxRegistry.inbox(context)?.append(.refused(lastError(of: connection, .permission)))
        }
    }

    private static func lastError(
        of connection: OpaquePointer?, _ step: ServerError.Step
    ) -> ServerError {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let details = text.map { String(cString: $0) } ?? ""
        return ServerError(
            step, details.isEmpty ? String(cString: natsStatus_GetText(status)) : details)
    }
}

/// The seeds of the keys that this process uses, at fixed addresses for the library.
private enum SeedRegistry {
    private static let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) static var seeds: [String: UnsafeMutablePointer<CChar>] = [:]

    static func pointer(to seed: String) -> UnsafeMutableRawPointer? {
        lock.withLock {
            if let known = seeds[seed] {
                return UnsafeMutableRawPointer(known)
            }
            let text = Array(seed.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
            copy.initialize(from: text, count: text.count)
            seeds[seed] = copy
            return UnsafeMutableRawPointer(copy)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
