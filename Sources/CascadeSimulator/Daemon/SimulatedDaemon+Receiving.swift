// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Receiving: what arrives on the connections, and their ends.
extension SimulatedDaemon {
    /// Receives the messages that have arrived on a connection.
    func receive(by connection: ConnectionID) {
        while state == .running,
            let message = simulation.network.receive(.up, by: connection, at: simulation.now)
        {
            received(message, by: connection)
            reapUnreachable()
        }
    }

    /// The connection has ended, and all its messages have been read.
    func ended(_ connection: ConnectionID) {
        guard state == .running else {
            if state == .stopped {
                unnoticed.append(connection)
            }
            return
        }
        receive(by: connection)
        if isLate(connection) {
            simulation.count(.lateDisconnect)
        }
        if state == .running, let peer = simulation.network[connection]?.peer {
            gone(peer)
            reapUnreachable()
        }
        if simulation.network[connection]?.isClosed == true {
            simulation.network.forget(connection)
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

    private func received(_ message: [UInt8], by connection: ConnectionID) {
        let peer = peer(of: connection)
        do throws(WireError) {
            let header = try Header(parsing: message)
            var message = message
            try wiretap.heard(header, message, from: peer)
            heard(header, message, from: peer)
            try receivedEnvironment(header, message, from: peer)
            message = try tamperedInput(header, message)
            if header.command == .attach {
                reportExits()
            }
            hand(message, of: peer)
        } catch {
            simulation.find(Finding("protocol", "a worker sent an invalid message: \(error)"))
        }
    }

    private func hand(_ message: [UInt8], of peer: PeerID) {
        let payload = OwnedPayload(message)
        payloads.insert(payload)
        if simulation.triggers(.keptMessage) {
            leakedPayloads.append(payload)
        }
        let isParked = broker.parksInputs(of: peer)
        handle(.received(peer, payload))
        if !isParked, broker.parksInputs(of: peer) {
            simulation.note("daemon: \(peer.index) waits for the place of an exited process")
            simulation.count(.parked)
        }
    }

    /// The peer of a connection. The first message of a connection makes it one; so does a later
    /// message after the peer was removed.
    private func peer(of connection: ConnectionID) -> PeerID {
        if let peer = simulation.network[connection]?.peer {
            return peer
        }
        let peer = newPeer()
        simulation.network.name(connection, peer)
        _ = simulation.network.recordExpulsion(connection)
        connections[peer] = connection
        let process = simulation.network[connection]?.process ?? 0
        wiretap.connected(peer, process: process)
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

    func gone(_ peer: PeerID) {
        simulation.note("daemon: \(peer.index) is gone", session: wiretap.peers[peer]?.session)
        // The messages of a peer that waits come before its end, and so may messages to it.
        if !broker.parksInputs(of: peer) {
            forget(peer)
        }
        handle(.gone(peer))
    }

    /// Removes a peer; its number may be reused.
    func forget(_ peer: PeerID) {
        changed(wiretap.nodes(of: peer))
        let nodes = wiretap.gone(peer)
        simulation.oracles.prefetch.forget(nodes)
        simulation.oracles.environment.forget(nodes)
        askedChanges.removeAll { $0.peer == peer }
        exited.remove(peer)
        if delayed?.receiver == peer {
            delayed = nil
        }
        if let connection = connections.removeValue(forKey: peer) {
            freePeers.append(PeerID(index: peer.index, generation: peer.generation + 1))
            simulation.network.name(connection, nil)
        }
    }

    /// Reaps the peers to which sends were refused, after their messages have been read. Their
    /// connections are cut, so that peers that are only slow learn of it.
    func reapUnreachable() {
        while state == .running, let peer = unreachable.popLast() {
            if let connection = connections[peer] {
                gone(peer)
                if !simulation.triggers(.silentGivingUp) {
                    simulation.planExpulsion(of: connection)
                }
            }
        }
    }
}
