// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import LocalTransport
import ZeroMQ

/// All peers: those on unix sockets and, where the daemon uses libzmq, those of libzmq's socket.
///
/// With both, the lowest bit of a peer's index tells which one carries its connection.
struct PeerTransports: PeerTransport, ~Copyable {
    private var local: LocalPeers
    private let libzmq: ZeroMQPeers?
    private let hasLibzmq: Bool
    /// Which of the two is asked next, so that neither waits for the other.
    private var isLocalNext = true

    init(_ local: consuming LocalPeers, _ libzmq: ZeroMQPeers?) {
        hasLibzmq = libzmq != nil
        self.local = local
        self.libzmq = libzmq
    }

    @inline(__always)
    private func isLocal(_ peer: PeerID) -> Bool {
        !hasLibzmq || peer.index & 1 == 0
    }

    // MARK: - Waiting

    var pollItems: [PollItem] {
        local.pollItems + (libzmq?.pollItems ?? [])
    }

    /// Whether the thread can sleep in the event loop of the local peers: libzmq's socket is not ready
    /// just because its descriptor is.
    var hasEventLoop: Bool {
        !hasLibzmq
    }

    mutating func watch(_ descriptor: Int32, token: UInt32) -> Bool {
        local.watch(descriptor, token: token)
    }

    mutating func sleep(milliseconds: Int, wakeup: UInt32) -> SocketThread.Wake {
        local.sleep(milliseconds: milliseconds, wakeup: wakeup)
    }

    /// Whether activity inside libzmq's socket ends a sleep, not only a message.
    var wakesOnActivity: Bool {
        libzmq?.isBlocked ?? false
    }

    var hasWork: Bool {
        local.hasWork || libzmq?.hasWork ?? false
    }

    func nextDeadline(at now: Instant) -> Instant? {
        [local.nextDeadline(at: now), libzmq?.nextDeadline(at: now)].compactMap(\.self).min()
    }

    // MARK: - Events

    mutating func beginTurn(at now: Instant) {
        local.beginTurn(at: now)
        libzmq?.beginTurn(at: now)
    }

    mutating func next(at now: Instant) throws(ZeroMQError) -> PeerEvent? {
        guard hasLibzmq else {
            return local.next(at: now)
        }
        isLocalNext.toggle()
        if isLocalNext, let event = local.next(at: now) {
            return event
        }
        if let event = try libzmq?.next(at: now) {
            return event
        }
        return isLocalNext ? nil : local.next(at: now)
    }

    func identity(of peer: PeerID) -> PeerIdentity? {
        isLocal(peer) ? local.identity(of: peer) : libzmq?.identity(of: peer)
    }

    /// Both transports copy a frame that is not in its own memory.
    mutating func keep(_ frame: UnsafeRawBufferPointer) -> SharedBytes {
        local.keep(frame)
    }

    mutating func takeReports() -> [LogRecord] {
        local.takeReports() + (libzmq?.takeReports() ?? [])
    }

    // MARK: - Sending

    mutating func send(_ header: Header, _ content: UnsafeRawBufferPointer, to peer: PeerID) {
        if isLocal(peer) {
            local.send(header, content, to: peer)
        } else {
            libzmq?.send(header, content, to: peer)
        }
    }

    mutating func send(_ header: Header, behindHeaderOf shared: SharedBytes, to peer: PeerID) {
        if isLocal(peer) {
            local.send(header, behindHeaderOf: shared, to: peer)
        } else {
            libzmq?.send(header, behindHeaderOf: shared, to: peer)
        }
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        if isLocal(peer) {
            local.send(message, to: peer)
        } else {
            libzmq?.send(message, to: peer)
        }
    }

    mutating func flush(at now: Instant) {
        local.flush(at: now)
        libzmq?.flush(at: now)
    }

    // MARK: - Bytes that peers have yet to read

    func unreadByteCount(of peer: PeerID) -> Int {
        isLocal(peer) ? local.unreadByteCount(of: peer) : libzmq?.unreadByteCount(of: peer) ?? 0
    }

    func unreadByteCount(of owner: Owner) -> Int {
        local.unreadByteCount(of: owner) + (libzmq?.unreadByteCount(of: owner) ?? 0)
    }

    var unreadByteCount: Int {
        local.unreadByteCount + (libzmq?.unreadByteCount ?? 0)
    }

    func largestByteCount(of peer: PeerID) -> Int {
        isLocal(peer) ? local.largestByteCount(of: peer) : libzmq?.largestByteCount(of: peer) ?? 0
    }

    var blockedPeers: [PeerID] {
        local.blockedPeers + (libzmq?.blockedPeers ?? [])
    }

    // MARK: - Ending

    mutating func close(_ peer: PeerID, at now: Instant) {
        if isLocal(peer) {
            local.close(peer, at: now)
        } else {
            libzmq?.close(peer, at: now)
        }
    }

    mutating func abort(_ peer: PeerID, at now: Instant) {
        if isLocal(peer) {
            local.abort(peer, at: now)
        } else {
            libzmq?.abort(peer, at: now)
        }
    }

    mutating func endConnection(of peer: PeerID, at now: Instant) {
        if isLocal(peer) {
            local.endConnection(of: peer, at: now)
        } else {
            libzmq?.endConnection(of: peer, at: now)
        }
    }

    mutating func probe(_ peer: PeerID) {
        if !isLocal(peer) {
            libzmq?.probe(peer)
        }
    }

    mutating func remove(_ peer: PeerID) {
        if isLocal(peer) {
            local.remove(peer)
        } else {
            libzmq?.remove(peer)
        }
    }

    mutating func closeAll() {
        local.closeAll()
        libzmq?.closeAll()
    }

    mutating func trim() {
        libzmq?.trim()
    }
}
