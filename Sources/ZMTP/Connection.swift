// SPDX-License-Identifier: Apache-2.0

/// One ZMTP connection as a state machine: a peer's bytes in, events out.
///
/// The connection has no descriptor, no buffer and no clock. Its owner reads into a buffer of its own,
/// calls ``next(in:at:)`` until that returns `nil`, keeps the bytes from the cursor on and puts them
/// before the bytes that it reads next. Before it is open, an owner also watches ``deadline``.
///
///     var cursor = 0
///     while let event = connection.next(in: buffer.bytes, at: &cursor) {
///         switch event { … }
///     }
///
/// The first event is the greeting to send, without any byte of the peer. Messages may be sent only
/// while the connection ``isOpen``: libzmq closes a connection on which a message precedes its own
/// READY.
///
/// A connection is noncopyable and may be stored behind a pointer. It refers to no memory of its own
/// except the ``peer``, its ``fault`` and the shared bytes of READY.
package struct Connection: ~Copyable, Sendable {
    private enum Stage {
        /// The own greeting is to be sent. Exits: greeting.
        case start

        /// The peer's greeting is incomplete. Exits: handshake, failed.
        case greeting

        /// The peer's READY has not come; a client has sent its own. Exits: accepted, open, refusing,
        /// failed.
        case handshake

        /// A server has sent READY. Exits: open.
        case accepted

        /// The handshake is complete. Exits: failed.
        case open

        /// ERROR was sent. Exits: failed.
        case refusing

        /// A fault has ended the connection.
        case failed
    }

    private let configuration: ConnectionConfiguration
    private let handshakeDeadline: Duration
    private var stage = Stage.start
    private var scanner = MessageScanner()

    /// The number of bytes that were consumed: the offset of the cursor in all that the peer has sent.
    private var consumedByteCount: UInt64 = 0

    /// The number of bytes from the cursor without which there is no other event than a failure: 0 after
    /// an event, for another one may follow without more bytes.
    ///
    /// After ``next(in:at:)`` has returned `nil`, it is more than the bytes that are present, and at most
    /// ``ConnectionLimits/bufferedByteCount``. The peer's word alone stands behind it: nine bytes announce
    /// a frame of the greatest size. An owner therefore grows a buffer with the bytes that have arrived,
    /// up to this size.
    package private(set) var byteCountNeeded = 0

    /// The peer's version and metadata; `nil` before its greeting. The metadata are there once the
    /// connection is open.
    package private(set) var peer: Peer?

    /// Why the connection has failed.
    package private(set) var fault: Fault?

    /// The time to live of the peer's last PING: a hint to close the connection if no byte arrives for
    /// that long. `nil` if there is no such hint.
    package private(set) var peerTimeToLive: Duration?

    /// `now` is the time since any moment that the owner also counts ``deadline`` from.
    package init(_ configuration: ConnectionConfiguration, at now: Duration) {
        self.configuration = configuration
        handshakeDeadline = now + configuration.limits.handshakeDuration
    }

    /// Forgets the identity and the properties of the peer's READY, which may be some kilobytes, for an
    /// owner that does not read them.
    package mutating func dropMetadata() {
        peer?.dropMetadata()
    }

    /// Whether messages may be sent.
    package var isOpen: Bool {
        stage == .open
    }

    // MARK: - Input

    /// Returns the next event of the bytes from `cursor`, and moves the cursor behind what is consumed.
    ///
    /// Returns `nil` if the bytes contain no other event. The bytes from the cursor on must be the first
    /// ones of the next call, also if the owner stops before that. A call costs the same however many
    /// bytes of an unfinished message are present.
    package mutating func next(in bytes: RawSpan, at cursor: inout Int) -> Event? {
        let start = cursor
        let event: Event?
        do throws(Fault) {
            event = try receive(bytes, at: &cursor)
        } catch {
            event = fail(with: error, bufferStart: start)
        }
        if event != nil {
            byteCountNeeded = 0
        }
        consumedByteCount += UInt64(cursor - start)
        return event
    }

    private mutating func receive(
        _ bytes: RawSpan, at cursor: inout Int
    ) throws(Fault) -> Event? {
        switch stage {
        case .open:
            return try receiveTraffic(bytes, at: &cursor)
        case .start:
            stage = .greeting
            return .send(.greeting)
        case .greeting:
            return try receiveGreeting(bytes, at: &cursor)
        case .handshake:
            return try receiveReady(bytes, at: &cursor)
        case .accepted:
            return open()
        case .refusing:
            stage = .failed
            return .failed
        case .failed:
            return nil
        }
    }

    /// Records a fault. Its offset, which counts from the buffer's first byte, then counts from the
    /// first byte of the peer.
    private mutating func fail(with fault: Fault, bufferStart: Int) -> Event {
        var fault = fault
        fault.offset = consumedByteCount + fault.offset - UInt64(bufferStart)
        let isAnswered = stage == .handshake && fault.errorReason != nil
        self.fault = fault
        stage = isAnswered ? .refusing : .failed
        return isAnswered ? .send(.error) : .failed
    }

    // MARK: - Greeting and handshake

    private mutating func receiveGreeting(
        _ bytes: RawSpan, at cursor: inout Int
    ) throws(Fault) -> Event? {
        guard let version = try Greeting.decode(bytes, at: cursor) else {
            byteCountNeeded = Greeting.byteCount
            return nil
        }
        cursor += Greeting.byteCount
        peer = Peer(version: version)
        stage = .handshake
        switch configuration.role {
        case .client: return .send(.ready)
        case .server: return try receiveReady(bytes, at: &cursor)
        }
    }

    private mutating func receiveReady(
        _ bytes: RawSpan, at cursor: inout Int
    ) throws(Fault) -> Event? {
        guard let frame = try FrameHeader.decode(bytes, at: cursor) else {
            byteCountNeeded = FrameHeader.byteCountNeeded(bytes, at: cursor)
            return nil
        }
        let limits = configuration.limits
        guard frame.header.isCommand else {
            throw Fault(.messageBeforeReady, at: cursor)
        }
        guard frame.header.bodyByteCount <= limits.commandByteCount else {
            throw Fault(
                .commandTooLarge(
                    byteCount: frame.header.bodyByteCount, limit: limits.commandByteCount),
                at: cursor)
        }
        guard frame.end <= bytes.byteCount else {
            byteCountNeeded = frame.end - cursor
            return nil
        }
        let command = try Command.decode(bytes, in: frame.bodyStart..<frame.end)
        switch command.name {
        case .ready:
            try readMetadata(bytes, in: command.data)
        case .error:
            throw command.refusal(bytes)
        case .ping, .pong, .unsupported, .unknown:
            throw unexpected(command, bytes)
        }
        cursor = frame.end
        switch configuration.role {
        case .client: return open()
        case .server:
            stage = .accepted
            return .send(.ready)
        }
    }

    private mutating func readMetadata(
        _ bytes: RawSpan, in range: Range<Int>
    ) throws(Fault) {
        guard let version = peer?.version else {
            preconditionFailure("READY is read only after the greeting")
        }
        let reader = MetadataReader(
            version: version, ownSocketType: configuration.socketType,
            propertyCountMax: configuration.limits.propertyCount)
        peer = try reader.read(bytes, in: range)
    }

    private mutating func open() -> Event {
        stage = .open
        return .opened
    }

    private func unexpected(_ command: Command, _ bytes: RawSpan) -> Fault {
        Fault(
            .unexpectedCommand(bytes.textForDisplay(command.nameRange)),
            at: command.nameRange.lowerBound)
    }

    // MARK: - Traffic

    private mutating func receiveTraffic(
        _ bytes: RawSpan, at cursor: inout Int
    ) throws(Fault) -> Event? {
        let found = try scanner.next(
            in: bytes, at: &cursor, limits: configuration.limits,
            byteCountNeeded: &byteCountNeeded)
        switch found {
        case nil: return nil
        case .message(let message): return .message(message)
        case .command(let body): return try receiveCommand(bytes, in: body)
        }
    }

    private mutating func receiveCommand(
        _ bytes: RawSpan, in body: Range<Int>
    ) throws(Fault) -> Event {
        let command = try Command.decode(bytes, in: body)
        switch command.name {
        case .ping:
            let ping = try command.ping(bytes)
            peerTimeToLive =
                ping.timeToLive == 0 ? nil : .milliseconds(100 * Int(ping.timeToLive))
            return .send(.pong(ping.context))
        case .pong:
            return .pong(try command.pong(bytes))
        case .error:
            throw command.refusal(bytes)
        case .ready, .unsupported:
            throw unexpected(command, bytes)
        case .unknown:
            return .unknownCommand(name: command.nameRange)
        }
    }

    // MARK: - Time and end

    /// When the handshake must be complete; `nil` once it is, or once the connection has failed.
    package var deadline: Duration? {
        switch stage {
        case .start, .greeting, .handshake, .accepted: handshakeDeadline
        case .open, .refusing, .failed: nil
        }
    }

    /// Returns the failure of a connection whose ``deadline`` has passed at `now`.
    package mutating func deadlinePassed(at now: Duration) -> Event? {
        guard let deadline, deadline <= now else {
            return nil
        }
        return fail(with: Fault(.handshakeTimeout, at: 0), bufferStart: 0)
    }

    /// Returns the failure of a connection that the peer has closed within its handshake or a message;
    /// `nil` if the connection ended between two messages, or had failed before.
    ///
    /// `unconsumedByteCount` is the number of bytes from the cursor on once ``next(in:at:)`` has returned
    /// `nil`.
    package mutating func endOfStream(unconsumedByteCount: Int) -> Event? {
        guard stage != .failed, stage != .refusing else {
            return nil
        }
        guard stage != .open || unconsumedByteCount > 0 else {
            return nil
        }
        return fail(with: Fault(.unexpectedEnd, at: unconsumedByteCount), bufferStart: 0)
    }

    // MARK: - Output

    /// Returns a PING to send; `nil` if the connection is not open or the peer's version has no PING.
    ///
    /// `timeToLive` is in tenths of a second; 0 is none.
    package func ping(timeToLive: UInt16 = 0, _ context: PingContext = PingContext()) -> Output? {
        guard isOpen, let peer, peer.version >= .version3Point1 else {
            return nil
        }
        return .ping(timeToLive: timeToLive, context)
    }

    /// The bytes that ``encode(_:into:)`` appends.
    package func encodedByteCount(of output: Output) -> Int {
        switch output {
        case .greeting: Greeting.byteCount
        case .ready: configuration.ready.count
        case .error: Command.errorByteCount(reason: errorReason)
        case .ping(_, let context): Command.pingByteCount(context)
        case .pong(let context): Command.pongByteCount(context)
        }
    }

    /// Appends an output; the buffer needs ``encodedByteCount(of:)`` bytes of free capacity.
    package func encode(_ output: Output, into buffer: inout OutputRawSpan) {
        switch output {
        case .greeting: Greeting.encode(into: &buffer)
        case .ready: buffer.append(configuration.ready)
        case .error: Command.encodeError(reason: errorReason, into: &buffer)
        case .ping(let timeToLive, let context):
            Command.encodePing(timeToLive: timeToLive, context, into: &buffer)
        case .pong(let context): Command.encodePong(context, into: &buffer)
        }
    }

    private var errorReason: StaticString {
        fault?.errorReason ?? ""
    }
}
