// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Glibc
import Testing
import ZMTP
import ZeroMQ

@testable import LocalTransport

/// A transport at a path of its own, and its reports. It answers messages by ``onMessage``.
final class TestedTransport {
    let directory: TemporaryDirectory
    var transport: Transport
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    /// Time that a test lets pass at once.
    var skippedTime = Duration.zero

    private(set) var connected: [ConnectionID] = []
    private(set) var disconnected: [(id: ConnectionID, reason: DisconnectReason)] = []
    private(set) var refused: [RefusalReason] = []
    private(set) var refusedCredentials: [PeerCredentials] = []
    private(set) var unknownCommands: [String] = []
    private(set) var unwrittenByteCounts: [Int] = []
    private(set) var exhaustedCount = 0
    private(set) var acceptErrors: [SystemError] = []
    private(set) var endedListeners: [String?] = []
    private(set) var readableTokens: [UInt32] = []
    private(set) var messages: [(id: ConnectionID, frames: [[UInt8]])] = []

    /// The most messages that one turn has delivered.
    private(set) var messagesPerTurnMax = 0
    private(set) var turnCount = 0

    /// Whether each frame is kept in ``kept``, too.
    var keepsFrames = false
    private(set) var kept: [SharedBytes] = []
    /// The addresses that kept frames were received at.
    private(set) var receivedAddresses: [UnsafeRawPointer?] = []

    /// Called for each message instead of recording it.
    var onMessage: ((TestedTransport, ConnectionID, [[UInt8]]) -> Void)?

    init(_ configuration: TransportConfiguration = .tested()) throws {
        directory = try TemporaryDirectory()
        transport = try Transport(configuration)
        start = clock.now
        try transport.listen(on: Listener(path: path))
    }

    var path: String {
        "\(directory.path)/bus.sock"
    }

    var endpoint: String {
        "ipc://\(path)"
    }

    var now: Duration {
        clock.now - start + skippedTime
    }

    // MARK: - Turns

    /// One turn, which waits for an event or for one of the sockets.
    func turn(or items: [PollItem] = [], milliseconds: Int = 20_000) throws {
        if !transport.hasWork {
            var poller = Poller()
            poller.add(.fileDescriptor(transport.descriptor))
            for item in items {
                poller.add(item)
            }
            let deadline = nextDeadline.map { max(.zero, $0 - now) / .milliseconds(1) + 1 }
            _ = try poller.wait(
                timeoutMilliseconds: min(milliseconds, deadline.map { Int($0) } ?? .max))
        }
        transport.wait(until: now, at: now)
        var count = 0
        while let event = transport.next(at: now) {
            if case .message = event {
                count += 1
            }
            handle(event)
        }
        messagesPerTurnMax = max(messagesPerTurnMax, count)
        turnCount += 1
        transport.flush(at: now)
    }

    /// Turns until a condition holds; fails after 30 seconds.
    func run(
        or items: [PollItem] = [], milliseconds: Int = 20_000, until condition: () throws -> Bool
    ) throws {
        let end = clock.now + .seconds(30)
        while try !condition() {
            try #require(clock.now < end, "the condition does not hold within 30 seconds")
            try turn(or: items, milliseconds: milliseconds)
        }
    }

    /// Turns until nothing is left to do at once.
    func settle() throws {
        repeat {
            try turn(milliseconds: 0)
        } while transport.hasWork
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .connected(let id): connected.append(id)
        case .message(let id, let message):
            var frames = message.frames
            var bodies: [[UInt8]] = []
            while let body = transport.nextFrame(&frames) {
                bodies.append(Array(body))
                if keepsFrames {
                    receivedAddresses.append(body.baseAddress)
                    kept.append(transport.keep(body))
                }
            }
            if let onMessage {
                onMessage(self, id, bodies)
            } else {
                messages.append((id, bodies))
            }
        case .disconnected(let id, _, let reason): disconnected.append((id, reason))
        case .refused(let credentials, let reason):
            refused.append(reason)
            refusedCredentials.append(credentials)
        case .unknownCommand(_, let name): unknownCommands.append(name)
        case .unwritten(_, let byteCount): unwrittenByteCounts.append(byteCount)
        case .descriptorsExhausted: exhaustedCount += 1
        case .acceptFailed(let error): acceptErrors.append(error)
        case .listenerEnded(let path): endedListeners.append(path)
        case .readable(let token): readableTokens.append(token)
        }
    }

    // MARK: - Sending

    /// Returns whether the connection was there to send to.
    @discardableResult
    func send(_ frames: [[UInt8]], to id: ConnectionID) -> Bool {
        var isSent = true
        for (index, frame) in frames.enumerated() {
            frame.withUnsafeBytes {
                isSent = transport.send($0, hasMore: index < frames.count - 1, to: id) && isSent
            }
        }
        return isSent
    }

    /// Returns each message to its peer.
    static func echo(_ transport: TestedTransport, _ id: ConnectionID, _ frames: [[UInt8]]) {
        transport.send(frames, to: id)
    }

    // MARK: - State

    var connectionCount: Int {
        transport.connectionCount
    }

    var hasWork: Bool {
        transport.hasWork
    }

    var nextDeadline: Duration? {
        transport.nextDeadline
    }

    var listenerFileState: Listener.FileState? {
        transport.listeners.first?.fileState
    }

    /// The bytes that are held for the user of the tests.
    var heldByteCount: Int {
        transport.heldByteCount(ofUser: geteuid())
    }

    /// The bytes that are not written, which are all for the user of the tests.
    var waitingByteCount: Int {
        let all = transport.waitingByteCount
        let own = transport.waitingByteCount(ofUser: geteuid())
        #expect(all == own)
        return all
    }

    func waitingByteCount(of id: ConnectionID) -> Int {
        transport.waitingByteCount(of: id)
    }

    func credentials(of id: ConnectionID) -> PeerCredentials? {
        transport.credentials(of: id)
    }

    func descriptor(of id: ConnectionID) -> Int32? {
        transport.descriptor(of: id)
    }
}

extension TransportConfiguration {
    static func tested(
        limits: ZMTP.ConnectionLimits = ZMTP.ConnectionLimits(), unopenedPerUser: Int = 64,
        perUser: Int = 1_000, heldByteCountPerUser: Int = 67_108_864,
        heldByteCountTotal: Int = .max
    ) -> TransportConfiguration {
        TransportConfiguration(
            limits: limits,
            admission: AdmissionLimits(
                unopenedPerUser: unopenedPerUser, perUser: perUser, total: 1_000,
                heldByteCountPerUser: heldByteCountPerUser, heldByteCountTotal: heldByteCountTotal))
    }
}
