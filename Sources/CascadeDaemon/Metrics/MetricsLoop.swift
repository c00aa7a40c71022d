// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// Serves scrapers on a thread of their own. Slow or hostile scrapers cost the broker one reading
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
