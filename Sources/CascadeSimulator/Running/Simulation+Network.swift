// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Messages on their way, and connections that end.
extension Simulation {
    func send(_ message: [UInt8], _ direction: Direction, by connection: ConnectionID?) {
        guard let connection, !triggers(.lostMessage) else {
            return
        }
        counts.messages += 1
        for _ in 0..<(triggers(.duplicatedMessage) ? 2 : 1) {
            let arrival = network.send(
                message, direction, by: connection,
                arrival: instant(afterMicroseconds: random.within(plan.latency)))
            if let arrival {
                plan(.arrive(connection, direction), at: arrival)
            }
        }
        if triggers(.reorderedMessage) {
            network.swapLast(direction, by: connection)
        }
    }

    /// What waits at a daemon that was not there arrives a little after it is.
    func planArrival(of connection: ConnectionID, _ direction: Direction) {
        let last = network[connection]?.up.lastArrival ?? now
        let soon = instant(afterMicroseconds: random.within(100...100_000))
        plan(.arrive(connection, direction), at: max(last, soon))
    }

    // MARK: - Ends

    /// The worker's end is gone. The daemon reads what still comes, then notices.
    func processEnded(_ connection: ConnectionID) {
        network.close(connection)
        network.sever(connection, &random)
        guard network[connection]?.isEstablished == true || network[connection]?.up.count != 0
        else {
            network.forget(connection)
            return
        }
        planDaemonNotices(connection)
    }

    /// The worker has turned to another connection.
    func abandon(_ connection: ConnectionID) {
        processEnded(connection)
    }

    /// The daemon's end is gone. The worker reads what still comes, then notices.
    func daemonEnded(_ connection: ConnectionID) {
        guard let found = network[connection] else {
            return
        }
        network.name(connection, nil)
        // Whoever was still trying to connect goes on trying.
        guard found.isEstablished || random.isLucky(50) else {
            return
        }
        network.sever(connection, &random)
        _ = network.drop(.up, of: connection)
        if found.isClosed {
            network.forget(connection)
        } else {
            planWorkerNotices(connection)
        }
    }

    /// The connection breaks between two that live.
    func sever(_ connection: ConnectionID) {
        guard network[connection]?.isBroken == false else {
            return
        }
        note("the connection \(connection.number) breaks")
        counts.brokenConnections += 1
        network.sever(connection, &random)
        planDaemonNotices(connection)
        planWorkerNotices(connection)
    }

    private func planDaemonNotices(_ connection: ConnectionID) {
        guard !triggers(.unnoticedEnd) else {
            return
        }
        let last = network[connection]?.up.lastArrival ?? now
        let noticed = instant(afterMicroseconds: random.within(plan.noticing))
        plan(.daemonNotices(connection), at: max(last, noticed))
    }

    private func planWorkerNotices(_ connection: ConnectionID) {
        let last = network[connection]?.down.lastArrival ?? now
        let noticed = instant(afterMicroseconds: random.within(plan.noticing))
        plan(.workerNotices(connection), at: max(last, noticed))
    }

    /// The daemon has ended a session; it cuts the connection soon.
    func planExpulsion(of connection: ConnectionID) {
        let expulsion = network.noteExpulsion(connection)
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
        network.sever(connection, &random)
        _ = network.drop(.up, of: connection)
        planWorkerNotices(connection)
    }
}
