// SPDX-License-Identifier: Apache-2.0

import CNATS
import ZeroMQ

/// Dialling: a connection with the library's options for it.
extension ServerConnection {
    private static let pingInterval: Int64 = 2_000
    private static let pingCountMax: Int32 = 2
    /// The library sends no signature when it begins with a zero byte, so one connection of 256 is refused
    /// as if the key were wrong.
    private static let keyAttempts = 3

    static func connect(
        _ settings: ConnectionSettings, _ token: Int, _ socket: ServerSocket?
    ) throws(ServerError) -> OpaquePointer {
        try settings.server.probe(timeout: settings.timeout)
        var options: OpaquePointer?
        try check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        try configure(options, settings, token)
        if let socket {
            try check(socket.configure(options))
        }
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
        try check(natsOptions_SetWriteDeadline(options, Int64(writeDeadline)))
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

    static func lastError(
        of connection: OpaquePointer?, _ step: ServerError.Step
    ) -> ServerError {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let details = text.map { ServerError.sentence(String(cString: $0)) } ?? ""
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
