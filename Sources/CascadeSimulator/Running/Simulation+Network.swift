// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Messages in transit, and the ends of connections.
extension Simulation {
    func send(_ message: [UInt8], _ direction: Direction, by connection: ConnectionID?) {
        guard let connection = connection.map({ direction == .up ? network.target(of: $0) : $0 }),
            !triggers(.lostMessage)
        else {
            return
        }
        count(.message)
        for _ in 0..<(triggers(.duplicatedMessage) ? 2 : 1) {
            let arrival = network.send(
                message, direction, by: connection,
                arrival: max(
                    instant(afterMicroseconds: random.within(plan.latency)),
                    partitionEnd(of: connection)))
            if let arrival {
                plan(.arrive(connection, direction), at: arrival)
            }
        }
        if triggers(.reorderedMessage) {
            network.swapLast(direction, by: connection)
        }
    }

    /// Messages that waited for a daemon arrive a little after its start.
    func planArrival(of connection: ConnectionID, _ direction: Direction) {
        let last = network[connection]?.up.lastArrival ?? now
        let soon = instant(afterMicroseconds: random.within(100...100_000))
        plan(.arrive(connection, direction), at: max(last, soon))
    }

    private func partitionEnd(of connection: ConnectionID) -> Instant {
        guard !partitionEnds.isEmpty, let process = network[connection]?.process else {
            return now
        }
        return partitionEnds[process] ?? now
    }

    /// Lets no message pass between the daemon and a process for a time.
    func partition(_ process: Int, milliseconds: UInt32) {
        note("process \(process) is out of reach for \(milliseconds) ms")
        count(.partition)
        partitionEnds[process] = now.advanced(byMilliseconds: milliseconds)
    }

    // MARK: - Ends of connections

    private func breakOff(_ connection: ConnectionID) {
        switch network.sever(connection, &random) {
        case .none: break
        case .tail: count(.tailLoss)
        case .middle: count(.middleLoss)
        }
    }

    /// The worker's end is closed. The daemon reads the remaining messages before it detects the
    /// end. If a child keeps the connection open, only the exit of the process reveals it.
    func processEnded(_ connection: ConnectionID, isKept: Bool = false) {
        network.close(connection)
        if let successor = network[connection]?.successor {
            processEnded(successor)
        }
        if isKept, network[connection]?.isEstablished == true {
            count(.keptSocket)
        } else {
            breakOff(connection)
        }
        guard network[connection]?.isEstablished == true || network[connection]?.up.count != 0
        else {
            network.forget(connection)
            return
        }
        planDaemonNotices(connection)
    }

    /// The daemon's end is closed. The worker reads the remaining messages before it detects the
    /// end.
    func daemonEnded(_ connection: ConnectionID) {
        guard let found = network[connection] else {
            return
        }
        network.name(connection, nil)
        // A process that was still connecting may try again.
        guard found.isEstablished || random.isLucky(50) else {
            return
        }
        breakOff(connection)
        _ = network.drop(.up, of: connection)
        if found.isClosed {
            network.forget(connection)
        } else {
            planWorkerNotices(connection)
        }
    }

    /// Breaks a connection while both ends live.
    func sever(_ connection: ConnectionID) {
        guard network[connection]?.isBroken == false else {
            return
        }
        note("the connection \(connection.number) breaks")
        count(.brokenConnection)
        breakOff(connection)
        planDaemonNotices(connection)
        planWorkerNotices(connection)
        if random.isLucky(30) {
            note("libzmq goes on by another connection")
            count(.strangerConnection)
            network.openSuccessor(of: connection)
        }
    }

    /// Loses all messages of a new connection; the worker detects that late.
    func loseEverything(on connection: ConnectionID) {
        note("the connection \(connection.number) swallows everything")
        count(.blackHole)
        _ = network.sever(connection, &random)
        plan(.workerNotices(connection), afterMilliseconds: random.within(500...5_000))
    }

    private func planDaemonNotices(_ connection: ConnectionID) {
        guard !triggers(.unreportedEnd) else {
            return
        }
        let last = max(network[connection]?.up.lastArrival ?? now, partitionEnd(of: connection))
        let noticed = instant(afterMicroseconds: random.within(plan.noticing))
        plan(.daemonNotices(connection), at: max(last, noticed))
    }

    private func planWorkerNotices(_ connection: ConnectionID) {
        let last = network[connection]?.down.lastArrival ?? now
        let noticed = instant(afterMicroseconds: random.within(plan.noticing))
        plan(.workerNotices(connection), at: max(last, noticed))
    }

    /// Plans to cut the connection of an ended session.
    func planExpulsion(of connection: ConnectionID) {
        let expulsion = network.recordExpulsion(connection)
        plan(
            .expel(connection, expulsion: expulsion),
            afterMicroseconds: random.within(1_000...50_000))
    }

    func expel(_ connection: ConnectionID, _ expulsion: Int) {
        guard let found = network[connection], found.expulsions == expulsion, !found.isBroken,
            daemon.state != .down
        else {
            return
        }
        guard daemon.state == .running else {
            plan(.expel(connection, expulsion: expulsion), afterMilliseconds: 20)
            return
        }
        breakOff(connection)
        _ = network.drop(.up, of: connection)
        planWorkerNotices(connection)
    }
}
