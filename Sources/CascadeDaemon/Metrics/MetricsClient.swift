// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One scraper: it is read from, waits for its answer, is written to. Each has little time and
/// little room.
struct MetricsClient {
    enum State {
        /// Its request has not come whole. Exits: waiting, over.
        case reading
        /// The broker's thread was asked for the metrics. Exits: writing, over.
        case waiting(MetricsRequest)
        /// Exits: over.
        case writing([UInt8], sent: Int)
        case over
    }

    let id: Int
    let descriptor: Int32
    private(set) var state = State.reading
    private var request: [UInt8] = []
    /// When it is silent for so long, it is a plain reader, not one that speaks HTTP.
    private let silentUntil: UInt64
    /// Whatever it does, it is over by then.
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

    /// When it has to be looked at again without its descriptor saying so.
    func next(after now: UInt64) -> UInt64 {
        switch state {
        case .reading: request.isEmpty ? silentUntil : deadline
        case .waiting, .over: deadline
        case .writing: min(deadline, now + 5_000_000)
        }
    }

    /// Reads and writes what can be. Returns whether its request is there now.
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
