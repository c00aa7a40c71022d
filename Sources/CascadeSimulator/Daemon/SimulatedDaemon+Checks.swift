// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Reports the daemon's messages to the oracles.
extension SimulatedDaemon {
    /// Reports a message of a worker that has reached the broker.
    func observeReceived(_ header: Header, _ message: [UInt8], from peer: PeerID) {
        let session = wiretap.peers[peer]?.session
        simulation.log("daemon receives from \(peer.index): \(header.summary)", session: session)
        switch header.command {
        case .hello:
            if let session, !greeted.insert(session).inserted {
                simulation.count(.resumed)
            }
        case .trigger, .publish:
            observeRaised(header, message, by: peer)
        case .verdict:
            guard isHolder(peer, of: header.node) else {
                break
            }
            payloads.observeAnswer(to: header.id)
            if !header.flags.contains(.unacknowledged) {
                simulation.addFinding(simulation.oracles.verdict.answered(header, by: peer))
            }
            simulation.oracles.prefetch.answered(header)
        case .credit:
            if isHolder(peer, of: header.node) {
                simulation.addFinding(simulation.oracles.prefetch.creditReturned(header))
            }
        case .change, .leave:
            observeChange(
                of: header.node == Header.noNode ? wiretap.nodes(of: peer) : [header.node])
        case .administer:
            simulation.oracles.order.changedAnywhere()
        default: break
        }
    }

    /// Reports nodes that attached, left, or changed their responders.
    func observeChange(of nodes: [UInt32]) {
        for node in nodes {
            if let path = wiretap.nodes[node]?.path {
                simulation.oracles.order.changed(at: path)
            }
        }
    }

    /// Whether the peer holds the node. A late message of a closed connection belongs to a new peer
    /// without nodes.
    private func isHolder(_ peer: PeerID, of node: UInt32) -> Bool {
        wiretap.nodes[node]?.holder == peer
    }

    private func observeRaised(_ header: Header, _ message: [UInt8], by peer: PeerID) {
        let isMarked = header.flags.contains(.sentAgain)
        if isMarked {
            simulation.count(.sentAgain)
            simulation.oracles.outcome.redelivered(header.sequence, by: peer)
        }
        simulation.addFinding(
            simulation.oracles.credit.raised(
                header.sequence, isUnacknowledged: header.flags.contains(.unacknowledged),
                by: peer, limit: Int(simulation.plan.configuration.limits.credit)))
        guard let session = wiretap.peers[peer]?.session else {
            return
        }
        let event = EventID(session: session, sequence: header.sequence)
        simulation.addFinding(simulation.oracles.repetition.received(event, isMarked: isMarked))
        if header.command == .trigger {
            observeTriggered(event, header, message)
        }
    }

    private func observeTriggered(_ event: EventID, _ header: Header, _ message: [UInt8]) {
        var origin = wiretap.nodes[header.node]?.path
        let asksOrigin = origin == nil || header.flags.contains(.includingSelf)
        var isHeld = false
        // The fields of a report may be those of a failure.
        if let raised = try? RaisedFields(fields: header.fields(of: message)) {
            origin = origin ?? raised.origin
            isHeld = raised.holdMilliseconds != nil
            if let retried = raised.retried {
                simulation.oracles.repetition.exempt(retried)
                simulation.oracles.order.exempt(retried)
                simulation.oracles.path.raised(
                    retried, from: nil, asksOrigin: true, isExempt: true)
            }
        }
        // The event may wait for a node to attach, and then start again.
        let isDurable = header.flags.contains(.durable)
        let mayWait = isHeld || isDurable || simulation.now < reattachEnd
        simulation.oracles.order.received(event)
        if isDurable {
            durableEvents.insert(event)
        }
        if mayWait {
            simulation.oracles.repetition.exempt(event)
        }
        simulation.oracles.path.raised(
            event, from: origin, asksOrigin: asksOrigin, isExempt: mayWait)
    }

    /// Reports a visit or delivery to a session.
    func observeForwarded(
        _ header: Header, _ message: [UInt8], _ itinerary: Itinerary?, to peer: PeerID
    ) {
        simulation.count(.visit)
        if header.flags.contains(.sentAgain) {
            simulation.count(.redelivery)
        }
        let event = wiretap.event(header, to: peer)
        let first =
            itinerary?.stops.first?.node
            ?? (header.node == Header.noNode
                ? wiretap.subscriber(header.name, of: peer) : header.node)
        guard let first, let node = wiretap.nodes[first], node.holder == peer else {
            simulation.addFinding(
                Finding(
                    "stale session",
                    "a '\(header.command)' for a node that the session does not hold",
                    event: event, session: wiretap.peers[peer]?.session))
            return
        }
        simulation.log(
            "daemon sends \(header.summary) to \(node.path)", event: event)
        simulation.addFinding(
            simulation.oracles.prefetch.sent(
                header, to: first, at: node.path, prefetch: node.prefetch))
        simulation.oracles.verdict.sent(header, to: first, of: peer)
        if let event, let connection = connections[peer] {
            simulation.oracles.staleSession.sent(event, on: connection)
        }
        guard header.command == .visit, let event else {
            return
        }
        let stops = itinerary?.stops ?? [.init(node: header.node, responder: header.index)]
        simulation.oracles.order.sent(event, to: node.path)
        simulation.addFinding(
            simulation.oracles.path.sent(
                event,
                stops.map {
                    PathOracle.Stop(
                        path: wiretap.nodes[$0.node]?.path, responder: $0.responder)
                }, of: peer))
    }

    /// Reports a message to a session.
    func observeSent(_ header: Header, _ message: [UInt8], to peer: PeerID) {
        guard header.command != .beat else {
            return
        }
        simulation.log(
            "daemon sends to \(peer.index): \(header.summary)",
            session: wiretap.peers[peer]?.session)
        switch header.command {
        case .outcome:
            simulation.oracles.credit.ended(header.sequence, of: peer)
            simulation.addFinding(
                simulation.oracles.outcome.sent(
                    header.sequence, to: peer, session: wiretap.peers[peer]?.session))
        case .accepted:
            simulation.count(.accepted)
            simulation.oracles.credit.ended(header.sequence, of: peer)
        case .settled:
            simulation.oracles.credit.ended(header.sequence, of: peer)
        case .done:
            observeAnswer(header, to: peer)
        case .refused:
            observeAnswer(header, to: peer)
            if header.code == ErrorCode.limitReached.rawValue {
                simulation.count(.limitReached)
            }
            if header.sequence > 0 {
                simulation.addFinding(simulation.oracles.credit.refused(header.sequence, of: peer))
            }
        case .credit:
            simulation.addFinding(simulation.oracles.credit.returned(Int(header.code), to: peer))
        default: break
        }
    }
}

extension Header {
    /// A short description for the history.
    var summary: String {
        let node = self.node == Header.noNode ? "" : " node \(self.node)"
        let id = self.id == 0 ? "" : " id \(String(self.id, radix: 16))"
        let sequence = self.sequence == 0 ? "" : " #\(self.sequence)"
        let origin = self.origin == Header.noNode ? "" : " from \(self.origin)"
        return "\(command)\(node)\(id)\(sequence)\(origin) code \(code) name \(name)"
    }
}
