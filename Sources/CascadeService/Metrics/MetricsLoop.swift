// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// Serves scrapers on a thread of their own. Slow or hostile scrapers cost the service one reading
/// of its metrics each, and nothing else.
final class MetricsLoop: SocketThreadDriver {
    /// Scrapers served at once; more wait in the socket's queue.
    private static let clientsMax = 8

    private let socket: MetricsSocket
    private var clients: [MetricsClient] = []
    private var lastID = 0
    /// Until when no scraper is accepted, because the process had no free descriptor; 0 if not
    /// paused.
    private var pausedUntil: UInt64 = 0
    private static let pauseNanoseconds: UInt64 = 1_000_000_000
    private let requests: AsyncStream<Int>.Continuation
    private(set) var pollItemsRevision = 1

    /// - Parameter requests: receives the number of each client whose request is complete.
    init(_ socket: consuming MetricsSocket, requests: AsyncStream<Int>.Continuation) {
        self.socket = socket
        self.requests = requests
    }

    deinit {
        for client in clients {
            close(client.descriptor)
        }
    }

    var pollItems: [PollItem] {
        let isOpen = clients.count < Self.clientsMax && pausedUntil == 0
        let listening = isOpen ? [socket.descriptor] : []
        let reading = clients.filter(\.isReading).map(\.descriptor)
        return (listening + reading).map { .fileDescriptor($0) }
    }

    func turn() -> SocketThread.Rest {
        let now = MonotonicClock.now()
        accept(at: now)
        for index in clients.indices where clients[index].turn(at: now) {
            requests.yield(clients[index].id)
            pollItemsRevision += 1
        }
        removeFinished()
        var next = clients.map { $0.next(after: now) }
        if pausedUntil > 0 {
            next.append(pausedUntil)
        }
        return next.min().map { .until($0) } ?? .forever
    }

    private func accept(at now: UInt64) {
        guard pausedUntil <= now else {
            return
        }
        let before = lastID
        let wasPaused = pausedUntil > 0
        var isFull = false
        while clients.count < Self.clientsMax, let descriptor = socket.accept(isFull: &isFull) {
            lastID += 1
            clients.append(MetricsClient(lastID, descriptor: descriptor, at: now))
        }
        pausedUntil = isFull ? now + Self.pauseNanoseconds : 0
        if lastID != before || isFull || wasPaused {
            pollItemsRevision += 1
        }
    }

    func answer(_ id: Int, _ metrics: String) {
        if let index = clients.firstIndex(where: { $0.id == id }) {
            clients[index].answer(metrics)
        }
        removeFinished()
    }

    private func removeFinished() {
        for client in clients where client.isOver {
            close(client.descriptor)
            pollItemsRevision += 1
        }
        clients.removeAll(where: \.isOver)
    }
}

/// One connection of a scraper: reads its request, waits for the metrics, writes the response. Time
/// and request size are bounded.
struct MetricsClient {
    enum State {
        /// The request is incomplete. Exits: waiting, over.
        case reading
        /// The service was asked for the metrics. Exits: writing, over.
        case waiting(MetricsRequest)
        /// Exits: over.
        case writing([UInt8], sent: Int)
        case over
    }

    let id: Int
    let descriptor: Int32
    private(set) var state = State.reading
    private var request: [UInt8] = []
    /// Until when the client may send its first byte; a silent client gets the metrics without
    /// HTTP.
    private let silentUntil: UInt64
    /// When the connection is closed in any case.
    private let deadline: UInt64

    private static let silenceNanoseconds: UInt64 = 500_000_000
    private static let lifeNanoseconds: UInt64 = 5_000_000_000

    init(_ id: Int, descriptor: Int32, at now: UInt64) {
        self.id = id
        self.descriptor = descriptor
        silentUntil = now + Self.silenceNanoseconds
        deadline = now + Self.lifeNanoseconds
    }

    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    var isReading: Bool {
        if case .reading = state { true } else { false }
    }

    /// When the client needs a turn although its descriptor is not ready.
    func next(after now: UInt64) -> UInt64 {
        switch state {
        case .reading: request.isEmpty ? silentUntil : deadline
        case .waiting, .over: deadline
        case .writing: min(deadline, now + 5_000_000)
        }
    }

    /// Reads and writes as far as possible. Returns whether the request became complete.
    mutating func turn(at now: UInt64) -> Bool {
        if now >= deadline {
            state = .over
        }
        switch state {
        case .reading: return read(at: now)
        case .writing(let bytes, let sent): write(bytes, sent)
        case .waiting, .over: break
        }
        return false
    }

    mutating func answer(_ metrics: String) {
        if case .waiting(let request) = state {
            write(request.response(metrics), 0)
        }
    }

    private mutating func read(at now: UInt64) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        let hasNothing = count < 0 && (errno == EAGAIN || errno == EINTR)
        guard count >= 0 || hasNothing else {
            state = .over
            return false
        }
        request += buffer.prefix(max(count, 0))
        let isSilent = request.isEmpty && now >= silentUntil
        let parsed = MetricsRequest(request, isEnded: count == 0 || isSilent)
        guard parsed != .incomplete else {
            return false
        }
        state = .waiting(parsed)
        return true
    }

    private mutating func write(_ bytes: [UInt8], _ sent: Int) {
        let count = bytes.withUnsafeBytes { all in
            send(
                descriptor, all.baseAddress.map { $0 + sent }, bytes.count - sent,
                Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        let hasNoRoom = count < 0 && (errno == EAGAIN || errno == EINTR)
        guard count >= 0 || hasNoRoom else {
            state = .over
            return
        }
        let total = sent + max(count, 0)
        state = total == bytes.count ? .over : .writing(bytes, sent: total)
    }
}
