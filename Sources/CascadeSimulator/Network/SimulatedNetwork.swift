// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// The connections between the daemon and the processes, as libzmq has them.
///
/// Within a connection and a direction messages stay in order and none comes twice. A message that
/// was taken may still be lost, but only with the end of its connection: then the tail of what was
/// on its way is gone, and neither side need notice soon. Until it does, it sends into the void. A
/// send to a peer that does not read is refused at the high-water mark. A process that connects
/// again is somebody new.
struct SimulatedNetwork {
    private var connections: [ConnectionID: SimulatedConnection] = [:]
    private var lastNumber = 0
    /// How much may be on its way to a worker.
    let highWaterMark: Int

    init(highWaterMark: Int) {
        self.highWaterMark = highWaterMark
    }

    subscript(connection: ConnectionID) -> SimulatedConnection? {
        connections[connection]
    }

    /// The connections of which something may still come, in order.
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

    /// libzmq has connected the same socket once more.
    mutating func openHeir(of connection: ConnectionID) {
        guard let found = connections[connection] else {
            return
        }
        let heir = open(
            process: found.process, incarnation: found.incarnation, processID: found.processID)
        connections[connection]?.heir = heir
    }

    /// Where what is sent on this connection goes.
    func target(of connection: ConnectionID) -> ConnectionID {
        connections[connection]?.heir ?? connection
    }

    mutating func name(_ connection: ConnectionID, _ peer: PeerID?) {
        connections[connection]?.peer = peer
        if peer != nil {
            connections[connection]?.isEstablished = true
        }
    }

    /// Returns when the message arrives; `nil` if it never does.
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

    /// Takes the next message that has arrived.
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

    /// Ends the connection: of what is on its way only a random beginning still arrives, or, where
    /// the worker was killed, all but a part in the middle. Often nothing is lost, and sometimes
    /// everything. Returns the worst of what was lost.
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

    /// What was on its way in this direction is gone.
    mutating func drop(_ direction: Direction, of connection: ConnectionID) -> [[UInt8]] {
        switch direction {
        case .up: connections[connection]?.up.takeAll() ?? []
        case .down: connections[connection]?.down.takeAll() ?? []
        }
    }

    /// Whether something of what this process sent is missing before what has arrived.
    func hasLostMiddle(_ processID: UInt32) -> Bool {
        connections.values.contains { $0.processID == processID && $0.hasLostMiddle }
    }

    mutating func close(_ connection: ConnectionID) {
        connections[connection]?.isClosed = true
    }

    /// A wish of the daemon to cut it. Returns its number.
    mutating func noteExpulsion(_ connection: ConnectionID) -> Int {
        connections[connection]?.expulsions += 1
        return connections[connection]?.expulsions ?? 0
    }

    /// Both ends know that it has ended.
    mutating func forget(_ connection: ConnectionID) {
        connections[connection] = nil
    }
}
