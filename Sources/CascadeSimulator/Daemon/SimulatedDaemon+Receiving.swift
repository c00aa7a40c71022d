// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Receiving messages, and the ends of connections.
extension SimulatedDaemon {
    /// Receives the messages that have arrived on a connection.
    func receive(by connection: ConnectionID) {
        while state == .running,
            let message = simulation.network.receive(.up, by: connection, at: simulation.now)
        {
            receive(message, by: connection)
            closeUnreachable()
        }
    }

    /// Ends a broken connection after its remaining messages have been received.
    func endConnection(_ connection: ConnectionID) {
        guard state == .running else {
            if state == .stopped {
                undetectedEnds.append(connection)
            }
            return
        }
        receive(by: connection)
        if isLate(connection) {
            simulation.count(.lateDisconnect)
        }
        if state == .running, let peer = simulation.network[connection]?.peer {
            close(peer)
            closeUnreachable()
        }
        if simulation.network[connection]?.isClosed == true {
            simulation.network.remove(connection)
        }
    }

    /// Whether the process at the other end already uses another connection.
    private func isLate(_ connection: ConnectionID) -> Bool {
        guard let found = simulation.network[connection],
            let other = simulation.processes[found.process].connection, other != connection
        else {
            return false
        }
        return simulation.network[other]?.peer != nil
    }

    private func receive(_ message: [UInt8], by connection: ConnectionID) {
        let peer = peer(of: connection)
        do throws(WireError) {
            let header = try Header(parsing: message)
            var message = message
            try wiretap.observe(header, message, from: peer)
            observeReceived(header, message, from: peer)
            try observeReceivedEnvironment(header, message, from: peer)
            message = try tamperedInput(header, message)
            submit(message, of: peer)
        } catch {
            simulation.addFinding(Finding("protocol", "a worker sent an invalid message: \(error)"))
        }
    }

    /// Passes a message to the broker.
    private func submit(_ message: [UInt8], of peer: PeerID) {
        let payload = OwnedPayload(message)
        if payload.needs.contains(.exits) {
            reportExits()
        }
        payloads.insert(payload)
        if simulation.triggers(.keptMessage) {
            leakedPayloads.append(payload)
        }
        let isParked = broker.parksInputs(of: peer)
        handle(.received(peer, payload))
        if !isParked, broker.parksInputs(of: peer) {
            simulation.log("daemon: \(peer.index) waits for the place of an exited process")
            simulation.count(.parked)
        }
    }

    /// Returns the peer of a connection. The first message of the connection creates it, and so does the
    /// first message after the peer was removed.
    private func peer(of connection: ConnectionID) -> PeerID {
        if let peer = simulation.network[connection]?.peer {
            return peer
        }
        let peer = newPeer()
        simulation.network.assign(peer, to: connection)
        _ = simulation.network.recordExpulsion(connection)
        connections[peer] = connection
        let process = simulation.network[connection]?.process ?? 0
        wiretap.add(peer, process: process)
        simulation.oracles.credit.connected(peer)
        let processID = simulation.network[connection]?.processID ?? 0
        handle(.connected(peer, Credentials(processID: processID, userID: 0, groupID: 0)))
        return peer
    }

    private func newPeer() -> PeerID {
        if let free = freePeers.popLast() {
            simulation.count(.reusedPeer)
            return free
        }
        lastPeer += 1
        return PeerID(index: lastPeer, generation: 1)
    }

    /// Removes a peer with a broken connection, and reports it to the broker.
    func close(_ peer: PeerID) {
        simulation.log(
            "daemon: the connection of \(peer.index) has ended",
            session: wiretap.peers[peer]?.session)
        // The messages of a peer that waits come before its end, and so may messages to it.
        if !broker.parksInputs(of: peer) {
            remove(peer)
        }
        handle(.gone(peer))
    }

    /// Removes a peer; its number may be reused.
    func remove(_ peer: PeerID) {
        observeChange(of: wiretap.nodes(of: peer))
        let nodes = wiretap.remove(peer)
        simulation.oracles.prefetch.remove(nodes)
        simulation.oracles.environment.remove(nodes)
        pendingChanges.removeAll { $0.peer == peer }
        exited.remove(peer)
        if delayed?.receiver == peer {
            delayed = nil
        }
        if let connection = connections.removeValue(forKey: peer) {
            freePeers.append(PeerID(index: peer.index, generation: peer.generation + 1))
            simulation.network.assign(nil, to: connection)
        }
    }

    /// Closes the peers to which sends were refused, after their messages have been read. Their
    /// connections are closed too, so that a slow but living peer reconnects.
    func closeUnreachable() {
        while state == .running, let peer = unreachable.popLast() {
            if let connection = connections[peer] {
                close(peer)
                if !simulation.triggers(.silentGivingUp) {
                    simulation.planExpulsion(of: connection)
                }
            }
        }
    }
}
