// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// The connections between the daemon and the processes, with the behaviour of libzmq.
///
/// In one direction of a connection, messages stay in order and none is duplicated. Messages are lost
/// only when their connection ends: then the last messages in transit are lost, and so are messages
/// that either side sends until it detects the end. A send to a peer that does not read is refused at
/// the high-water mark. A process that reconnects is a new peer.
struct SimulatedNetwork {
    private var connections: [ConnectionID: SimulatedConnection] = [:]
    private var lastNumber = 0
    /// The largest number of messages in transit to a worker.
    let highWaterMark: Int

    init(highWaterMark: Int) {
        self.highWaterMark = highWaterMark
    }

    subscript(connection: ConnectionID) -> SimulatedConnection? {
        connections[connection]
    }

    /// All connections, in the order of their numbers.
    var all: [ConnectionID] {
        connections.keys.sorted { $0.number < $1.number }
    }

    mutating func open(process: Int, incarnation: Int, processID: UInt32) -> ConnectionID {
        lastNumber += 1
        let connection = ConnectionID(number: lastNumber)
        connections[connection] = SimulatedConnection(
            process: process, incarnation: incarnation, processID: processID)
        return connection
    }

    /// Opens a connection in place of a broken one, as libzmq does when it reconnects a socket.
    mutating func openSuccessor(of connection: ConnectionID) {
        guard let found = connections[connection] else {
            return
        }
        let successor = open(
            process: found.process, incarnation: found.incarnation, processID: found.processID)
        connections[connection]?.successor = successor
    }

    /// Returns the connection that carries messages sent on this one.
    func target(of connection: ConnectionID) -> ConnectionID {
        connections[connection]?.successor ?? connection
    }

    /// Sets the daemon's peer of a connection; `nil` removes it.
    mutating func assign(_ peer: PeerID?, to connection: ConnectionID) {
        connections[connection]?.peer = peer
        if peer != nil {
            connections[connection]?.isEstablished = true
        }
    }

    /// Sends a message. Returns its time of arrival; `nil` if it is lost.
    mutating func send(
        _ bytes: [UInt8], _ direction: Direction, by connection: ConnectionID, arrival: Instant
    ) -> Instant? {
        guard let found = connections[connection], !found.isBroken else {
            return nil
        }
        switch direction {
        case .up: return connections[connection]?.up.append(bytes, arrival: arrival)
        case .down: return connections[connection]?.down.append(bytes, arrival: arrival)
        }
    }

    /// Returns whether the daemon's next send to this connection is refused.
    func isFull(_ connection: ConnectionID) -> Bool {
        (connections[connection]?.down.count ?? 0) >= highWaterMark
    }

    /// Removes and returns the next message that has arrived.
    mutating func receive(
        _ direction: Direction, by connection: ConnectionID, at now: Instant
    ) -> [UInt8]? {
        switch direction {
        case .up: connections[connection]?.up.next(at: now)
        case .down: connections[connection]?.down.next(at: now)
        }
    }

    mutating func swapLast(_ direction: Direction, by connection: ConnectionID) {
        switch direction {
        case .up: connections[connection]?.up.swapLast()
        case .down: connections[connection]?.down.swapLast()
        }
    }

    // MARK: - The end of a connection

    /// Breaks the connection. Often all messages in transit still arrive, otherwise a random number of the
    /// first ones. If the worker was killed, a part in the middle may be lost instead. Returns the worst
    /// loss.
    mutating func sever(_ connection: ConnectionID, _ random: inout Randomness) -> Loss {
        guard let found = connections[connection], !found.isBroken else {
            return .none
        }
        connections[connection]?.isBroken = true
        let down = random.isLucky(40) ? found.down.count : random.within(0...found.down.count)
        connections[connection]?.down.keep(first: down)
        guard found.isClosed, found.up.count >= 2, random.isLucky(30) else {
            let up = random.isLucky(40) ? found.up.count : random.within(0...found.up.count)
            connections[connection]?.up.keep(first: up)
            return up < found.up.count || down < found.down.count ? .tail : .none
        }
        let first = random.below(found.up.count - 1)
        let last = first + random.below(found.up.count - 1 - first)
        connections[connection]?.up.drop(first...last)
        connections[connection]?.hasLostMiddle = true
        return .middle
    }

    /// Drops all messages in transit in one direction, and returns them.
    mutating func drop(_ direction: Direction, of connection: ConnectionID) -> [[UInt8]] {
        switch direction {
        case .up: connections[connection]?.up.removeAll() ?? []
        case .down: connections[connection]?.down.removeAll() ?? []
        }
    }

    /// Returns whether a message of this process was lost before one that arrived.
    func hasLostMiddle(_ processID: UInt32) -> Bool {
        connections.values.contains { $0.processID == processID && $0.hasLostMiddle }
    }

    mutating func close(_ connection: ConnectionID) {
        connections[connection]?.isClosed = true
    }

    /// Records a request of the daemon to close the connection. Returns the number of the request.
    mutating func recordExpulsion(_ connection: ConnectionID) -> Int {
        connections[connection]?.expulsions += 1
        return connections[connection]?.expulsions ?? 0
    }

    /// Removes a connection whose end both sides have detected.
    mutating func remove(_ connection: ConnectionID) {
        connections[connection] = nil
    }
}

/// One connection, with its messages in transit.
struct SimulatedConnection {
    let process: Int
    let incarnation: Int
    /// The process ID of the process at the worker's end.
    let processID: UInt32
    /// The daemon's peer; `nil` before the first message and after its removal.
    var peer: PeerID?
    /// Whether the daemon has received a message on this connection.
    var isEstablished = false
    var up = MessageQueue()
    var down = MessageQueue()
    /// Whether new messages are lost.
    var isBroken = false
    /// Whether the worker has closed its end.
    var isClosed = false
    /// The connection with which libzmq replaced this one after it broke. It is a new peer to the daemon.
    var successor: ConnectionID?
    /// Whether a message before one that arrived was lost.
    var hasLostMiddle = false
    /// The number of the daemon's requests to close the connection. Only the last one takes effect.
    var expulsions = 0
}

/// Messages in transit in one direction of a connection, in the order in which they were sent.
struct MessageQueue {
    private var messages: Deque<(arrival: Instant, bytes: [UInt8])> = []

    var count: Int {
        messages.count
    }

    /// The time of arrival of the last message.
    private(set) var lastArrival = Instant(nanoseconds: 0)

    /// Appends a message. Returns its time of arrival, which is never before that of the previous
    /// one.
    mutating func append(_ bytes: [UInt8], arrival: Instant) -> Instant {
        lastArrival = max(lastArrival, arrival)
        messages.append((lastArrival, bytes))
        return lastArrival
    }

    /// Removes and returns the next message if it has arrived.
    mutating func next(at now: Instant) -> [UInt8]? {
        guard let first = messages.first, first.arrival <= now else {
            return nil
        }
        return messages.removeFirst().bytes
    }

    /// Drops all messages but the first `count`.
    mutating func keep(first count: Int) {
        messages.removeLast(max(0, self.count - count))
    }

    /// Drops the messages at these indices.
    mutating func drop(_ indices: ClosedRange<Int>) {
        messages.removeSubrange(indices)
    }

    /// Removes and returns all messages.
    mutating func removeAll() -> [[UInt8]] {
        defer { messages = [] }
        return messages.map(\.bytes)
    }

    /// Exchanges the last two messages, for a planted bug.
    mutating func swapLast() {
        guard count >= 2 else {
            return
        }
        let last = messages.count - 1
        (messages[last].bytes, messages[last - 1].bytes) =
            (messages[last - 1].bytes, messages[last].bytes)
    }
}

/// One connection of a process to the daemon. Numbers are never reused.
struct ConnectionID: Hashable {
    var number: Int
}

/// The direction of a message on a connection.
enum Direction {
    /// From a worker to the daemon.
    case up
    /// From the daemon to a worker.
    case down
}

/// The messages in transit that are lost with a connection.
enum Loss {
    case none
    /// The last messages.
    case tail
    /// Some messages before the last.
    case middle
}
