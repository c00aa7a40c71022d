// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Receiving: a turn reads a bounded number of frames, and processes or keeps each for a later
/// turn.
extension BrokerShell {
    /// The ZeroMQ message whose frames are being received; a long one takes several turns.
    struct Incoming {
        /// `nil` if the peer chose its routing ID itself.
        var id: RoutingID?
        var peer: PeerID?
        var frameCount = 0
    }

    /// Frames received between two looks at the clock. Also the frames of one ZeroMQ message that
    /// may be processed at once; the rest go to the backlog.
    private static let batch = 64
    /// Frames that may be received in one turn. libzmq delivers one whole message of each
    /// connection in turn, so that a large number reaches short messages between long ones sooner.
    private static let framesPerTurn = 4_096
    /// How long one turn may receive.
    private static let receivingNanoseconds: UInt64 = 1_000_000

    /// Receives frames within the bounds of a turn. Returns whether more may be waiting.
    mutating func receiveBatch() throws(ZeroMQError) -> Bool {
        receivedCount = 0
        let end = MonotonicClock.now() + Self.receivingNanoseconds
        while receivedCount < Self.framesPerTurn,
            receivedCount == 0 || receivedCount % Self.batch != 0 || MonotonicClock.now() < end
        {
            if incoming == nil {
                guard try socket.receive(into: &identity) else {
                    return false
                }
                incoming = Incoming(id: assignedIDs.id(identity.bytes))
            }
            guard try socket.receive(into: &body.message) else {
                return false
            }
            body.refill()
            receivedCount += 1
            let hasMore = body.message.hasMore
            receivedFrame()
            if !hasMore {
                incoming = nil
            }
        }
        return true
    }

    private mutating func receivedFrame() {
        guard let id = incoming?.id else {
            refuseChosenID()
            return
        }
        // The credentials are properties of the body. Frames of a peer expelled midway are dropped.
        guard let peer = incoming?.peer ?? self.peer(of: id) else {
            return
        }
        let frameCount = (incoming?.frameCount ?? 0) + 1
        incoming?.peer = peer
        incoming?.frameCount = frameCount
        guard routes.id(of: peer) != nil else {
            return
        }
        guard frameCount > Self.batch else {
            take(from: peer)
            return
        }
        let limit = broker.limits.framesPerMessage
        if frameCount <= limit {
            keep(from: peer)
        } else {
            let sentence = "more than \(limit) frames in one message (limit framesPerMessage)"
            handle(.malformed(peer, WireError(sentence)))
        }
    }

    private mutating func take(from peer: PeerID) {
        if !backlog.isEmpty, backlog.holds(peer) {
            keep(from: peer)
            return
        }
        let command = body.bytes.first.flatMap { Command(rawValue: $0) }
        if canProcess(command, of: peer) {
            process(command, from: peer)
        } else {
            keep(from: peer)
        }
    }

    /// The broker has not taken the message, and wants it later, before all others of the peer.
    private mutating func keepFirst(from peer: PeerID) {
        let byteCount = body.count
        keepFirst(store.adopt(&body.message), byteCount: byteCount, of: peer)
    }

    private mutating func keep(from peer: PeerID) {
        let byteCount = body.count
        keep(store.adopt(&body.message), byteCount: byteCount, of: peer)
    }

    /// The peer of a connection, added if it is new; `nil` if messages of the connection are
    /// ignored.
    private mutating func peer(of id: RoutingID) -> PeerID? {
        if let peer = routes.peer(of: id) {
            return peer
        }
        guard !silenced.contains(id) else {
            return nil
        }
        let descriptor = body.message.sourceFileDescriptor
        let connection = descriptor.flatMap { ConnectionID(descriptor: $0) }
        let peer = routes.insert(id, connection: connection)
        if let connection {
            activity.add(connection)
        }
        let userID = body.message.property("User-Id")
        let credentials = Credentials(
            peerAddress: body.message.property("Peer-Address"), userID: userID,
            descriptor: descriptor)
        admitted[peer] = userID.flatMap { AdmittedKey(userID: $0) }
        outbox.waiting.insert(peer, of: credentials.owner)
        log.connected(credentials)
        handle(.connected(peer, credentials))
        let isWatched = processes.watch(
            peer, processID: credentials.processID, connection: descriptor)
        if !isWatched {
            handle(.unwatched(peer))
        }
        return peer
    }

    /// Ends a connection whose peer chose its routing ID. libzmq assigns one to a connection that
    /// has none; a peer chooses one only to take the ID that another connection has had or will
    /// have.
    private mutating func refuseChosenID() {
        let connection = body.message.sourceFileDescriptor.flatMap { ConnectionID(descriptor: $0) }
        guard let connection, expelled.add(connection, at: now) else {
            return
        }
        activity.add(connection)
        let credentials = Credentials(
            peerAddress: body.message.property("Peer-Address"),
            userID: body.message.property("User-Id"),
            descriptor: connection.descriptor)
        let violation = Violation(
            .malformed, "a peer must not choose its routing ID (ZMQ_ROUTING_ID)")
        log.write(
            .violation(
                processID: credentials.processID, violation.code, sentence: violation.sentence),
            at: now)
        var message = Message(byteCount: violation.encoded().count)
        message.mutableBytes.copyBytes(from: violation.encoded())
        do throws(ZeroMQError) {
            // The peer may be gone or may not read; then the violation is only logged.
            if try socket.send(bytes: identity.bytes, more: true) == .sent {
                _ = try socket.send(&message)
            }
        } catch {
            log.failed(error, at: now)
        }
    }

    /// Processes the frame, and records how long that takes.
    mutating func process(_ command: Command?, from peer: PeerID) {
        if command == .attach {
            detectExitsBeforeAttach()
        }
        let beginning = processingTime.begin()
        received(from: peer)
        if postponed.contains(peer) {
            keepFirst(from: peer)
        }
        let nanoseconds = processingTime.nanoseconds(since: beginning)
        if nanoseconds >= ProcessingTime.longNanoseconds {
            let owner = outbox.waiting.userCount > 1 ? outbox.waiting.owner(of: peer) : nil
            processingTime.recordLong(beginning, of: owner)
        }
        if command?.isRequest == true {
            requestNanoseconds += nanoseconds
        }
    }

    /// Hands the frame to the broker, which may keep it.
    private mutating func received(from peer: PeerID) {
        if isQueryForMetrics {
            refreshProcessFacts()
        }
        receive(body, from: peer)
        if !isKnownUniquelyReferenced(&body) {
            body = MessagePayload()
        }
    }

    private var isQueryForMetrics: Bool {
        guard body.bytes.first == Command.query.rawValue,
            let header = try? Header(parsing: body.bytes)
        else {
            return false
        }
        return Query.isForMetrics(header)
    }
}

extension Command {
    /// Whether the command asks the broker for work or an answer and takes no credit.
    var isRequest: Bool {
        switch self {
        case .attach, .change, .leave, .cancel, .received, .recall, .query, .activate,
            .administer, .set:
            true
        default: false
        }
    }
}
