// SPDX-License-Identifier: Apache-2.0

import DequeModule
import LocalTransport
import ZMTP
import ZeroMQ

/// An event of a ``GateConnection``.
enum GateConnectionEvent {
    case opened
    case frame([UInt8])
    case ended(String)
}

/// The connection of one link of a gate to the site's own bus, which carries the frames of a child unread.
///
/// It has an event loop of its own, which is not read while the link has no room: then the bus waits, too.
final class GateConnection {
    /// The bytes not read by the bus above which the link is paused, and below which it resumes.
    private static let unreadByteCountMax = 1 << 20
    private static let unreadByteCountLow = 1 << 18
    /// The largest frame of a bus, which has lower limits of its own.
    private static let frameByteCountMax = 1 << 32
    private static let configuration = ConnectionConfiguration(
        role: .client, socketType: .dealer,
        limits: ConnectionLimits(
            handshakeDuration: .seconds(10), frameByteCount: frameByteCountMax,
            frameCount: 65_536, messageByteCount: frameByteCountMax))

    private var transport: Transport
    private let id: LocalTransport.ConnectionID
    /// The frames that the link has not accepted.
    private var held = Deque<[UInt8]>()
    private(set) var hasEnded = false
    /// Whether the bus reads so slowly that the link is paused.
    private(set) var isCongested = false
    // The state of the connection in ``GateConnections``.
    var token: UInt32 = 0
    var isWatched = false

    /// Connects to the bus at a socket. Throws the reason if no bus serves there.
    init(to path: String, at now: Duration) throws(SystemError) {
        var transport = try Transport(
            TransportConfiguration(
                admission: AdmissionLimits(perUser: 1, total: 1),
                framesPerTurn: BusConnections.framesPerTurn))
        id = try transport.connect(to: path, Self.configuration, at: now)
        self.transport = transport
    }

    /// Readable when the connection has something.
    var descriptor: Int32 {
        transport.descriptor
    }

    var hasWork: Bool {
        isRead && transport.hasWork
    }

    var deadline: Duration? {
        hasEnded ? nil : transport.nextDeadline
    }

    /// Whether the connection is read, because the link has room.
    var isRead: Bool {
        held.isEmpty && !hasEnded
    }

    // MARK: - Receiving

    /// Passes the frames that have arrived to `accept`, until it has no room for one: that frame and those
    /// after it are kept for ``sendHeld(_:)``.
    func turn(at now: Duration, _ accept: (GateConnectionEvent) -> Bool) {
        guard isRead else {
            return
        }
        transport.wait(until: now, at: now)
        while held.isEmpty, !hasEnded, let event = transport.next(at: now) {
            switch event {
            case .connected: _ = accept(.opened)
            case .message(_, let message): receive(message, accept)
            case .disconnected(_, _, let reason):
                hasEnded = true
                _ = accept(.ended("\(reason)"))
            case .refused, .unknownCommand, .unwritten, .descriptorsExhausted, .acceptFailed,
                .listenerEnded, .readable:
                break
            }
        }
    }

    private func receive(_ message: ZMTP.Message, _ accept: (GateConnectionEvent) -> Bool) {
        var frames = message.frames
        while let bytes = transport.nextFrame(&frames) {
            let frame = Array(bytes)
            if !held.isEmpty || !accept(.frame(frame)) {
                held.append(frame)
            }
        }
    }

    /// Passes the kept frames on, because the link has room.
    func sendHeld(_ accept: ([UInt8]) -> Bool) {
        while let frame = held.first, accept(frame) {
            held.removeFirst()
        }
    }

    // MARK: - Sending

    func send(_ frame: ArraySlice<UInt8>) {
        frame.withUnsafeBytes { bytes in
            _ = transport.send(bytes, to: id)
        }
    }

    /// Writes what was sent.
    func flush(at now: Duration) {
        transport.flush(at: now)
        let unread = transport.waitingByteCount(of: id)
        isCongested =
            unread > (isCongested ? Self.unreadByteCountLow : Self.unreadByteCountMax)
    }

    /// Closes the connection after what was sent is written. The owner releases it when ``isClosed``.
    func close(at now: Duration) {
        if !hasEnded {
            hasEnded = true
            transport.close(id, at: now)
            transport.flush(at: now)
        }
    }

    /// Whether nothing is left to write after ``close(at:)``.
    func isClosed(at now: Duration) -> Bool {
        transport.wait(until: now, at: now)
        while transport.next(at: now) != nil {}
        transport.flush(at: now)
        return transport.connectionCount == 0
    }
}
