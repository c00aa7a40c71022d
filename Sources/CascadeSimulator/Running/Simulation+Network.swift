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

    /// Plans the arrival of messages that waited for a daemon, a short time after its start.
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

    /// Delays all messages between the daemon and a process until the end of a partition.
    func partition(_ process: Int, milliseconds: UInt32) {
        log("process \(process) is unreachable for \(milliseconds) ms")
        count(.partition)
        partitionEnds[process] = now.advanced(byMilliseconds: milliseconds)
    }

    // MARK: - Ends of connections

    private func breakConnection(_ connection: ConnectionID) {
        switch network.sever(connection, &random) {
        case .none: break
        case .tail: count(.tailLoss)
        case .middle: count(.middleLoss)
        }
    }

    /// Closes the worker's end. The daemon reads the remaining messages before it detects the end. If a
    /// child process keeps the connection open, the daemon detects only the exit of the process.
    func processEnded(_ connection: ConnectionID, isHeldByChild: Bool = false) {
        network.close(connection)
        if let successor = network[connection]?.successor {
            processEnded(successor)
        }
        if isHeldByChild, network[connection]?.isEstablished == true {
            count(.keptSocket)
        } else {
            breakConnection(connection)
        }
        guard network[connection]?.isEstablished == true || network[connection]?.up.count != 0
        else {
            network.remove(connection)
            return
        }
        planDaemonDetection(connection)
    }

    /// Closes the daemon's end. The worker reads the remaining messages before it detects the end.
    func daemonEnded(_ connection: ConnectionID) {
        guard let found = network[connection] else {
            return
        }
        network.assign(nil, to: connection)
        // A process that has not connected yet may try again.
        guard found.isEstablished || random.isLucky(50) else {
            return
        }
        breakConnection(connection)
        _ = network.drop(.up, of: connection)
        if found.isClosed {
            network.remove(connection)
        } else {
            planWorkerDetection(connection)
        }
    }

    /// Breaks a connection while both ends run.
    func sever(_ connection: ConnectionID) {
        guard network[connection]?.isBroken == false else {
            return
        }
        log("the connection \(connection.number) breaks")
        count(.brokenConnection)
        breakConnection(connection)
        planDaemonDetection(connection)
        planWorkerDetection(connection)
        if random.isLucky(30) {
            log("libzmq reconnects")
            count(.strangerConnection)
            network.openSuccessor(of: connection)
        }
    }

    /// Loses all messages of a new connection; the worker detects that late.
    func loseEverything(on connection: ConnectionID) {
        log("the connection \(connection.number) loses all messages")
        count(.blackHole)
        _ = network.sever(connection, &random)
        plan(.workerDetectsEnd(connection), afterMilliseconds: random.within(500...5_000))
    }

    private func planDaemonDetection(_ connection: ConnectionID) {
        guard !triggers(.unreportedEnd) else {
            return
        }
        let last = max(network[connection]?.up.lastArrival ?? now, partitionEnd(of: connection))
        let detected = instant(afterMicroseconds: random.within(plan.detection))
        plan(.daemonDetectsEnd(connection), at: max(last, detected))
    }

    private func planWorkerDetection(_ connection: ConnectionID) {
        let last = network[connection]?.down.lastArrival ?? now
        let detected = instant(afterMicroseconds: random.within(plan.detection))
        plan(.workerDetectsEnd(connection), at: max(last, detected))
    }

    /// Plans the closing of the connection of an ended session.
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
        breakConnection(connection)
        _ = network.drop(.up, of: connection)
        planWorkerDetection(connection)
    }
}
