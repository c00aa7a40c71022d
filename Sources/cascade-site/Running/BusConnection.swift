// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import ZeroMQ

/// An event of a connection to a bus.
enum BusConnectionEvent: Equatable {
    case opened
    /// The connection has ended, or could not be opened, for this reason.
    case lost(String)
    case message([UInt8])
}

/// A connection to a bus, whichever transport carries it. It does not reconnect.
///
/// In each turn its owner calls ``turn()``, sends, and calls ``flush()``.
protocol BusConnection: AnyObject, EventSource {
    /// Connects. ``BusConnectionEvent/opened`` or `lost` follows.
    func open()
    /// Closes the connection, and discards what is not written. No event of it follows.
    func abandon()
    /// Closes the connection after the sent messages are written, or after a short time.
    func close()
    func turn() -> [BusConnectionEvent]
    func send(_ message: [UInt8])
    func flush()
}

/// How connections to buses are made.
enum BusConnections {
    /// The largest number of frames that one turn receives from a bus on this machine. They share a message
    /// of the link, which costs far more than a frame; but while one turn's frames are at the other side,
    /// those of the next one arrive.
    static let framesPerTurn = 128

    /// Creates a connection that ``BusConnection/open()`` opens. Throws an error for a person.
    ///
    /// - Parameter keys: The keys on tcp; `nil` for a bus without CURVE.
    static func connection(to endpoint: String, keys: BusKeys?) throws -> any BusConnection {
        guard LocalConnection.serves(endpoint) else {
            return WorkerBusConnection(
                ZeroMQConnection(endpoint: endpoint, context: try Context(), keys: keys),
                to: endpoint)
        }
        return WorkerBusConnection(
            try LocalConnection(endpoint: endpoint, framesPerTurn: framesPerTurn), to: endpoint)
    }
}

/// A connection of the kind that workers use.
final class WorkerBusConnection<Connection: WorkerConnection & ~Copyable>: BusConnection {
    private enum State {
        case closed
        case opening
        case open
    }

    /// The largest number of messages in one turn.
    private static var batch: Int { 256 }

    private var connection: Connection
    private let endpoint: String
    private var state = State.closed
    private var silence: SilenceLimit
    private var events: [BusConnectionEvent] = []
    private var mayHaveMore = false

    init(_ connection: consuming Connection, to endpoint: String) {
        self.connection = connection
        self.endpoint = endpoint
        silence = SilenceLimit(at: MonotonicClock.now())
    }

    var pollItems: [PollItem] {
        state == .closed ? [] : connection.pollItems
    }

    var hasWork: Bool {
        !events.isEmpty || state != .closed && (mayHaveMore || connection.hasWork)
    }

    var deadline: Duration? {
        guard state != .closed else {
            return nil
        }
        let silent = connection.isRemote && state == .open ? silence.deadline : nil
        let next = [silent, connection.nextDeadline].compactMap(\.self).min()
        return next.map { .nanoseconds(Int64($0)) }
    }

    func open() {
        state = .opening
        silence.messageReceived(at: MonotonicClock.now())
        do {
            try connection.open()
        } catch {
            lose("cannot connect to \(endpoint): \(error)")
        }
    }

    func abandon() {
        guard state != .closed else {
            return
        }
        state = .closed
        events = []
        mayHaveMore = false
        connection.abandon()
    }

    func close() {
        guard state != .closed else {
            return
        }
        state = .closed
        connection.close()
    }

    func send(_ message: [UInt8]) {
        if state == .open {
            connection.send(message)
        }
    }

    func flush() {
        // Until it is open, the connection writes its handshake.
        if state != .closed {
            connection.flush()
        }
    }

    // MARK: - A turn

    func turn() -> [BusConnectionEvent] {
        if state != .closed {
            connection.beginTurn(waiting: false)
            receive()
        }
        defer { events = [] }
        return events
    }

    private func receive() {
        do {
            try takeChanges()
            var count = 0
            while state != .closed, count < Self.batch, let header = try connection.receive() {
                count += 1
                let message = Array(connection.message)
                if header.command == .welcome, let welcome = try? Welcome(parsing: message) {
                    silence.setBeat(milliseconds: welcome.beatMilliseconds)
                }
                events.append(.message(message))
            }
            mayHaveMore = count == Self.batch
            if !mayHaveMore {
                try takeChanges()
            }
            checkSilence(hasReceived: count > 0)
        } catch {
            lose("the connection to \(endpoint) has failed: \(error)")
        }
    }

    private func takeChanges() throws {
        while state != .closed, let change = try connection.change() {
            switch change {
            case .ready:
                state = .open
                events.append(.opened)
            case .broken: lose("the bus at \(endpoint) has closed the connection")
            case .noBusFound: lose("no bus serves \(endpoint)")
            case .refused: lose("the bus at \(endpoint) accepts no more connections now")
            case .keyRejected:
                lose("the bus at \(endpoint) does not accept this site's key, or has another key")
            }
        }
    }

    /// On tcp a peer may disappear without an error.
    private func checkSilence(hasReceived: Bool) {
        guard state == .open, connection.isRemote else {
            return
        }
        let now = MonotonicClock.now()
        if hasReceived {
            silence.messageReceived(at: now)
        } else if silence.deadline <= now {
            lose("the bus at \(endpoint) has been silent for ten beats")
        }
    }

    private func lose(_ reason: String) {
        guard state != .closed else {
            return
        }
        state = .closed
        mayHaveMore = false
        connection.abandon()
        events.append(.lost(reason))
    }
}
