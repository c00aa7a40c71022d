// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import LocalTransport
import Logging
import ZeroMQ

/// The peers of libzmq's socket: those on tcp, and those on unix sockets where libzmq is chosen for
/// them.
///
/// libzmq names a connection by a routing ID, does not report its beginning and end, and can
/// neither count its bytes nor close it. The files in this folder compensate for that.
final class ZeroMQPeers: PeerTransport {
    let socket: Socket
    var routes = RoutingTable()
    var store = MessageStore()
    var outbox = Outbox()
    /// Connections that have sent at least one message, for the connection guard.
    private let activity: ConnectionActivity
    private let allocation: RoutingIDAllocation
    private var expelled = ExpelledConnections()
    private var silenced = SilencedConnections()
    var reports: [LogRecord] = []

    private var routingID = Message()
    private var frame = Message()
    private var incoming = Incoming()
    private var isMessageComplete = true
    private var newcomer: (peer: PeerID, identity: PeerIdentity)?
    /// Whether ``frame`` is the first frame of a new peer, and is reported after the peer.
    private var isFrameKept = false

    /// Peers whose connections have ended, and when they are reported at the latest. They are
    /// reported when nothing is left to receive, so that no message of theirs is lost. While other
    /// peers never stop sending, libzmq delivers a message of each connection in turn.
    private var lost: [(peer: PeerID, until: Instant)] = []
    /// Peers that have bytes to read after a flush of this turn.
    var blockedPeers: [PeerID] = []

    /// How soon sends to a full queue are tried again. libzmq does not always signal that a queue
    /// has room again.
    private static let retryMilliseconds: UInt32 = 2
    /// How long messages of an ended connection are received while other peers keep sending.
    private static let drainMilliseconds: UInt32 = 1_000

    /// The ZeroMQ message whose frames are being received; a long one takes several turns.
    private struct Incoming {
        /// `nil` if the peer chose its routing ID itself.
        var id: RoutingID?
        var peer: PeerID?
        var frameCount = 0
    }

    init(
        _ socket: consuming Socket, _ allocation: RoutingIDAllocation,
        _ activity: ConnectionActivity
    ) {
        self.socket = socket
        self.allocation = allocation
        self.activity = activity
    }

    // MARK: - Waiting

    var pollItems: [PollItem] {
        [.socket(socket)]
    }

    /// Whether a peer's queue was full at the last flush.
    var isBlocked: Bool {
        outbox.isBlocked
    }

    /// Only a poll of the socket shows whether it has more.
    var hasWork: Bool {
        isFrameKept
    }

    func nextDeadline(at now: Instant) -> Instant? {
        let retry = outbox.isBlocked ? now.advanced(byMilliseconds: Self.retryMilliseconds) : nil
        return [retry, expelled.next, lost.map(\.until).min()].compactMap(\.self).min()
    }

    // MARK: - Receiving

    func beginTurn(at now: Instant) {
        expelled.shutDownDue(at: now)
        blockedPeers.removeAll(keepingCapacity: true)
        flushBlocked(at: now)
    }

    func next(at now: Instant) throws(ZeroMQError) -> PeerEvent? {
        if let peer = nextLost(at: now, isIdle: false) {
            return .disconnected(peer)
        }
        while true {
            if !isFrameKept {
                guard try receive() else {
                    break
                }
            }
            if let event = event(at: now) {
                return event
            }
        }
        return nextLost(at: now, isIdle: true).map { .disconnected($0) }
    }

    /// Receives the next frame. Returns `false` if there is none.
    private func receive() throws(ZeroMQError) -> Bool {
        if isMessageComplete {
            guard try socket.receive(into: &routingID) else {
                return false
            }
            incoming = Incoming(id: allocation.id(routingID.bytes))
            isMessageComplete = false
        }
        guard try socket.receive(into: &frame) else {
            return false
        }
        isMessageComplete = !frame.hasMore
        return true
    }

    /// The event of the received frame; `nil` if the frame is ignored.
    private func event(at now: Instant) -> PeerEvent? {
        guard let id = incoming.id else {
            refuseChosenID(at: now)
            return nil
        }
        if let peer = incoming.peer ?? routes.peer(of: id) {
            isFrameKept = false
            incoming.peer = peer
            incoming.frameCount += 1
            // Frames of a peer expelled midway are dropped.
            guard routes.id(of: peer) != nil else {
                return nil
            }
            return .frame(peer, frame.bytes, number: incoming.frameCount)
        }
        guard !silenced.contains(id) else {
            return nil
        }
        isFrameKept = true
        let peer = insert(id)
        incoming.peer = peer
        return .connected(peer)
    }

    private func insert(_ id: RoutingID) -> PeerID {
        // The credentials are properties of the frame behind the routing ID.
        let descriptor = frame.sourceFileDescriptor
        let connection = descriptor.flatMap { ConnectionID(descriptor: $0) }
        let peer = routes.insert(id, connection: connection)
        if let connection {
            activity.add(connection)
        }
        let userID = frame.property("User-Id")
        let credentials = Credentials(
            peerAddress: frame.property("Peer-Address"), userID: userID, descriptor: descriptor)
        newcomer = (
            peer,
            PeerIdentity(
                credentials: credentials, descriptor: descriptor,
                key: userID.flatMap { AdmittedKey(userID: $0) })
        )
        outbox.waiting.insert(peer, of: credentials.owner)
        return peer
    }

    func identity(of peer: PeerID) -> PeerIdentity? {
        newcomer?.peer == peer ? newcomer?.identity : nil
    }

    func keep(_ frame: UnsafeRawBufferPointer) -> SharedBytes {
        SharedBytes(copying: frame)
    }

    /// Ends a connection whose peer chose its routing ID. libzmq assigns one to a connection that
    /// has none; a peer chooses one only to take the ID that another connection has had or will
    /// have.
    private func refuseChosenID(at now: Instant) {
        let connection = frame.sourceFileDescriptor.flatMap { ConnectionID(descriptor: $0) }
        guard let connection, expelled.add(connection, at: now) else {
            return
        }
        activity.add(connection)
        let credentials = Credentials(
            peerAddress: frame.property("Peer-Address"), userID: frame.property("User-Id"),
            descriptor: connection.descriptor)
        let violation = Violation(
            .malformed, "a peer must not choose its routing ID (ZMQ_ROUTING_ID)")
        reports.append(
            LogRecord(
                .violation(
                    processID: credentials.processID, violation.code,
                    sentence: violation.sentence)))
        var message = Message(byteCount: violation.encoded().count)
        message.mutableBytes.copyBytes(from: violation.encoded())
        do throws(ZeroMQError) {
            // The peer may be gone or may not read; then the violation is only logged.
            if try socket.send(bytes: routingID.bytes, more: true) == .sent {
                _ = try socket.send(&message)
            }
        } catch {
            report(error)
        }
    }

    // MARK: - Bytes that peers have yet to read

    func unreadByteCount(of peer: PeerID) -> Int {
        outbox.unreadByteCount(of: peer)
    }

    func unreadByteCount(of owner: Owner) -> Int {
        outbox.waiting.byteCount(of: owner)
    }

    var unreadByteCount: Int {
        outbox.waiting.byteCount
    }

    func largestByteCount(of peer: PeerID) -> Int {
        outbox.largestByteCount(of: peer)
    }

    // MARK: - Ending

    func lose(_ peer: PeerID, at now: Instant) {
        discard(peer)
        if routes.id(of: peer) != nil, !lost.contains(where: { $0.peer == peer }) {
            lost.append((peer, now.advanced(byMilliseconds: Self.drainMilliseconds)))
        }
    }

    private func nextLost(at now: Instant, isIdle: Bool) -> PeerID? {
        guard !lost.isEmpty, let index = lost.firstIndex(where: { isIdle || $0.until <= now })
        else {
            return nil
        }
        return lost.remove(at: index).peer
    }

    func close(_ peer: PeerID, at now: Instant) {
        flush(peer, at: now)
        expel(peer, at: now)
    }

    /// libzmq frees the peer's frames with its connection; they no longer count.
    func abort(_ peer: PeerID, at now: Instant) {
        expel(peer, at: now)
    }

    private func expel(_ peer: PeerID, at now: Instant) {
        if let id = routes.id(of: peer) {
            silenced.recordEnd(of: id, at: now)
        }
        if let connection = routes.connection(of: peer) {
            _ = expelled.add(connection, at: now)
        }
        remove(peer)
    }

    func endConnection(of peer: PeerID, at now: Instant) {
        lose(peer, at: now)
    }

    /// A send reveals whether the connection has ended.
    func probe(_ peer: PeerID) {
        send(Header(.beat), UnsafeRawBufferPointer(start: nil, count: 0), to: peer)
    }

    func remove(_ peer: PeerID) {
        discard(peer)
        outbox.waiting.remove(peer)
        lost.removeAll { $0.peer == peer }
        routes.remove(peer)
    }

    /// libzmq writes what was sent when the socket is closed (ZMQ_LINGER).
    func closeAll() {}

    func trim() {
        store.trim()
    }

    // MARK: - Reports

    func takeReports() -> [LogRecord] {
        guard !reports.isEmpty else {
            return []
        }
        defer { reports = [] }
        return reports
    }

    func report(_ error: ZeroMQError) {
        reports.append(LogRecord(.error, .failed, "\(error)"))
    }
}
