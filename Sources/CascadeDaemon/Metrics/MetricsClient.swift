// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One connection of a scraper: reads its request, waits for the metrics, writes the response. Time
/// and request size are bounded.
struct MetricsClient {
    enum State {
        /// The request is incomplete. Exits: waiting, over.
        case reading
        /// The broker was asked for the metrics. Exits: writing, over.
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
