// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule

/// The connections between the daemon and the processes, with the behaviour of libzmq.
///
/// Within a connection and a direction messages stay in order and none is duplicated. A sent
/// message may be lost, but only with the end of its connection: then the tail of the messages in
/// transit is lost, and either side may detect the end late; messages that it sends until then are
/// lost, too. A send to a peer that does not read is refused at the high-water mark. A process that
/// reconnects is a new peer.
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

    /// libzmq has reconnected the same socket.
    mutating func openSuccessor(of connection: ConnectionID) {
        guard let found = connections[connection] else {
            return
        }
        let successor = open(
            process: found.process, incarnation: found.incarnation, processID: found.processID)
        connections[connection]?.successor = successor
    }

    /// The connection that messages sent on this one use.
    func target(of connection: ConnectionID) -> ConnectionID {
        connections[connection]?.successor ?? connection
    }

    mutating func name(_ connection: ConnectionID, _ peer: PeerID?) {
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

    /// Whether the daemon's next send to this connection is refused.
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

    /// Breaks the connection: only a random number of the first messages in transit still arrive.
    /// If the worker was killed, a part in the middle may be lost instead. Often no message is
    /// lost. Returns the worst loss.
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
        connections[connection]?.up.lose(first...last)
        connections[connection]?.hasLostMiddle = true
        return .middle
    }

    /// Loses all messages in transit in this direction.
    mutating func drop(_ direction: Direction, of connection: ConnectionID) -> [[UInt8]] {
        switch direction {
        case .up: connections[connection]?.up.takeAll() ?? []
        case .down: connections[connection]?.down.takeAll() ?? []
        }
    }

    /// Whether a message of this process was lost before one that arrived.
    func hasLostMiddle(_ processID: UInt32) -> Bool {
        connections.values.contains { $0.processID == processID && $0.hasLostMiddle }
    }

    mutating func close(_ connection: ConnectionID) {
        connections[connection]?.isClosed = true
    }

    /// Records a request of the daemon to cut the connection. Returns the number of the request.
    mutating func recordExpulsion(_ connection: ConnectionID) -> Int {
        connections[connection]?.expulsions += 1
        return connections[connection]?.expulsions ?? 0
    }

    /// Removes a connection whose end both sides know.
    mutating func forget(_ connection: ConnectionID) {
        connections[connection] = nil
    }
}

/// One connection, with its messages in transit.
struct SimulatedConnection {
    let process: Int
    let incarnation: Int
    /// The process ID of the process at the worker's end.
    let processID: UInt32
    /// The daemon's number of the peer, once it has received a message.
    var peer: PeerID?
    /// Whether the daemon has ever received a message from it.
    var isEstablished = false
    var up = MessageQueue()
    var down = MessageQueue()
    /// Whether messages sent from now on are lost.
    var isBroken = false
    /// Whether the worker has closed its end.
    var isClosed = false
    /// The connection with which libzmq replaced this one after it broke; a new peer to the daemon.
    var successor: ConnectionID?
    /// Whether a message before one that arrived was lost.
    var hasLostMiddle = false
    /// The number of requests by the daemon to cut it; only the last one counts.
    var expulsions = 0
}

/// Messages in transit in one direction of a connection, in the order in which they were sent.
struct MessageQueue {
    private var messages: Deque<(arrival: Instant, bytes: [UInt8])> = []

    var count: Int {
        messages.count
    }

    /// When the last message arrives.
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

    /// Loses all messages but the first `count`.
    mutating func keep(first count: Int) {
        messages.removeLast(max(0, self.count - count))
    }

    /// Loses the messages at these indices.
    mutating func lose(_ places: ClosedRange<Int>) {
        messages.removeSubrange(places)
    }

    /// Removes and returns all messages.
    mutating func takeAll() -> [[UInt8]] {
        defer { messages = [] }
        return messages.map(\.bytes)
    }

    /// Exchanges the last two messages, which a real connection never does.
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
