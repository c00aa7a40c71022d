// SPDX-License-Identifier: Apache-2.0

/// The settings common to all connections of one socket.
package struct ConnectionConfiguration: Sendable {
    /// The side of the NULL handshake (RFC 37, *The NULL Security Mechanism*).
    package enum Role: Sendable {
        /// The peer that connects: it sends READY first.
        case client

        /// The peer that binds: it sends READY as its answer to a valid READY.
        case server
    }

    let role: Role
    let socketType: SocketType
    let limits: ConnectionLimits

    /// How long the handshake may take.
    package var handshakeDuration: Duration {
        limits.handshakeDuration
    }

    /// The READY command as a frame, encoded once for all connections.
    let ready: [UInt8]

    /// Identity is sent in any case, as libzmq does; an empty one asks the peer to choose. READY must
    /// stay below the limits of the peer.
    package init(
        role: Role, socketType: SocketType, identity: [UInt8] = [], properties: [Property] = [],
        limits: ConnectionLimits = ConnectionLimits()
    ) {
        precondition(
            identity.count <= 255 && identity.first != 0,
            "An identity has at most 255 bytes and does not begin with 0")
        self.role = role
        self.socketType = socketType
        self.limits = limits
        let own = [
            Property(name: MetadataReader.socketType, value: Array(socketType.rawValue.utf8)),
            Property(name: MetadataReader.identity, value: identity),
        ]
        ready = Command.encodedReady(metadata: (own + properties).flatMap(\.encoded))
    }
}

/// The bounds of what a peer may send, and of what the engine makes its caller store.
package struct ConnectionLimits: Equatable, Sendable {
    /// The time from the beginning of the connection until the handshake must be complete.
    package var handshakeDuration: Duration

    /// The greatest size of a command, READY with its metadata included.
    package var commandByteCount: Int

    /// The greatest number of properties in READY.
    package var propertyCount: Int

    /// The greatest size of one frame of a message.
    package var frameByteCount: Int

    /// The greatest number of frames of a message, commands between them included.
    package var frameCount: Int

    /// The greatest size of all frames of a message, commands between them included.
    package var messageByteCount: Int

    package init(
        handshakeDuration: Duration = .seconds(10), commandByteCount: Int = 4_096,
        propertyCount: Int = 32, frameByteCount: Int = 16_777_216, frameCount: Int = 64,
        messageByteCount: Int = 16_777_216
    ) {
        let counts = [
            commandByteCount, propertyCount, frameByteCount, frameCount, messageByteCount,
        ]
        // Sums of limits, and of a limit and an offset in a buffer, stay far below the greatest Int.
        precondition(
            counts.allSatisfy { (1...1 << 40).contains($0) }, "A limit is 1 to 2^40")
        self.handshakeDuration = handshakeDuration
        self.commandByteCount = commandByteCount
        self.propertyCount = propertyCount
        self.frameByteCount = frameByteCount
        self.frameCount = frameCount
        self.messageByteCount = messageByteCount
    }

    /// The greatest number of unconsumed bytes without an event: what a caller must be able to store
    /// for each connection.
    package var bufferedByteCount: Int {
        max(
            Greeting.byteCount,
            FrameHeader.byteCountMax + commandByteCount,
            FrameHeader.byteCountMax * frameCount + messageByteCount)
    }
}
