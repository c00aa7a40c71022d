// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Performs the broker's effects.
extension SimulatedDaemon: BrokerHost {
    // MARK: - Sending

    func send(_ header: Header, to peer: PeerID) {
        send(header, header.encoded(), to: peer)
    }

    func forward(_ forwarded: Forward) {
        var sent = forwarded
        let isLast = sent.isLast
        for _ in 0..<(isLast && simulation.triggers(.secondRelease) ? 2 : 1) {
            sent.isLast = isLast || simulation.triggers(.earlyRelease)
            if let fault = payloads.send(sent) {
                simulation.addFinding(Finding("payload", fault))
            }
        }
        var receiver = sent.peer
        if simulation.triggers(.misdirectedVisit) {
            receiver = connections.keys.sorted { $0.index < $1.index }.last ?? sent.peer
        }
        do throws(WireError) {
            var header =
                simulation.triggers(.missingHeader)
                ? try Header(parsing: sent.payload.bytes) : sent.header
            var message = sent.payload.message(under: header)
            tamperedForward(&header, &message, to: receiver)
            forward(header, message, sent.itinerary, to: receiver)
        } catch {
            simulation.addFinding(
                Finding("payload", "a message without a header is sent: \(error)"))
        }
    }

    private func forward(
        _ header: Header, _ message: [UInt8], _ itinerary: Itinerary?, to receiver: PeerID
    ) {
        if isDurable(header, to: receiver), delayed == nil, simulation.triggers(.overtakenDurable) {
            delay(header, message, itinerary, to: receiver)
            return
        }
        forwardNow(header, message, itinerary, to: receiver)
        if header.command == .visit, let visit = delayed, visit.receiver == receiver,
            first(visit.header, visit.itinerary) == first(header, itinerary),
            visit.header.session == header.session, visit.header.origin == header.origin
        {
            sendDelayed(visit.number)
        }
    }

    /// Returns the first node of a visit.
    private func first(_ header: Header, _ itinerary: Itinerary?) -> UInt32 {
        itinerary?.stops.first?.node ?? header.node
    }

    private func delay(
        _ header: Header, _ message: [UInt8], _ itinerary: Itinerary?, to receiver: PeerID
    ) {
        delayedCount += 1
        delayed = DelayedVisit(
            number: delayedCount, header: header, message: message, itinerary: itinerary,
            receiver: receiver)
        simulation.plan(.sendDelayed(delayedCount), afterMilliseconds: 200)
    }

    func sendDelayed(_ number: Int) {
        guard let visit = delayed, visit.number == number else {
            return
        }
        guard state == .running else {
            simulation.plan(.sendDelayed(number), afterMilliseconds: 100)
            return
        }
        delayed = nil
        // If the node has been detached meanwhile, the visit is dropped, as a daemon without the bug does.
        if wiretap.nodes[first(visit.header, visit.itinerary)]?.holder == visit.receiver {
            forwardNow(visit.header, visit.message, visit.itinerary, to: visit.receiver)
        }
    }

    private func forwardNow(
        _ header: Header, _ message: [UInt8], _ itinerary: Itinerary?, to receiver: PeerID
    ) {
        if header.command == .visit || header.command == .delivery {
            observeForwarded(header, message, itinerary, to: receiver)
        }
        if let itinerary {
            send(Header(.itinerary), itinerary.encoded(), to: receiver)
        }
        send(header, message, to: receiver)
    }

    private func isDurable(_ header: Header, to receiver: PeerID) -> Bool {
        guard header.command == .visit, let event = wiretap.event(header, to: receiver) else {
            return false
        }
        return durableEvents.contains(event)
    }

    func send(_ message: [UInt8], to peer: PeerID) {
        do throws(WireError) {
            let header = try Header(parsing: message)
            guard let message = try tamperedOutput(header, message) else {
                return
            }
            try observeSentEnvironment(header, message, to: peer)
            if header.command == .environment, simulation.triggers(.repeatedChange) {
                try observeSentEnvironment(header, message, to: peer)
            }
            if header.command == .detached {
                observeChange(of: [header.node])
            }
            if header.command == .refused {
                checkSuccession(header, try Refused(parsing: message).code, of: peer)
            }
            if let node = try wiretap.observe(header, message, to: peer) {
                simulation.oracles.prefetch.remove([node])
                simulation.oracles.environment.remove([node])
            }
            if header.command == .attached {
                observeChange(of: try Attached(parsing: message).nodes.map(\.number))
            }
            if header.command == .moved {
                simulation.oracles.path.moved()
                simulation.oracles.order.changedAnywhere()
            }
            send(header, message, to: peer)
        } catch {
            simulation.addFinding(
                Finding("protocol", "the daemon sends an invalid message: \(error)"))
        }
    }

    private func send(_ header: Header, _ message: [UInt8], to receiver: PeerID) {
        var peer = receiver
        if header.command == .outcome, simulation.triggers(.misdirectedOutcome) {
            peer = connections.keys.sorted { $0.index < $1.index }.last ?? peer
        }
        guard let connection = connections[peer] else {
            simulation.addFinding(
                Finding("stale session", "a '\(header.command)' for a session that has ended"))
            return
        }
        observeSent(header, message, to: peer)
        guard !simulation.network.isFull(connection), !refuses(peer) else {
            simulation.count(.refusedSend)
            simulation.log("daemon: a send to \(peer.index) is refused")
            unreachable.append(peer)
            return
        }
        guard !isSuppressed(header) else {
            return
        }
        simulation.send(message, .down, by: connection)
        if header.command == .outcome, simulation.triggers(.secondOutcome) {
            observeSent(header, message, to: peer)
            simulation.send(message, .down, by: connection)
        }
        if header.command == .credit, simulation.triggers(.doubledCredit) {
            observeSent(header, message, to: peer)
            simulation.send(message, .down, by: connection)
        }
    }

    /// Whether a planted bug suppresses the message.
    private func isSuppressed(_ header: Header) -> Bool {
        switch header.command {
        case .outcome: simulation.triggers(.missingOutcome)
        case .refused: header.sequence > 0 && simulation.triggers(.missingRefusal)
        case .credit: simulation.triggers(.missingCredit)
        default: false
        }
    }

    /// Whether a send is refused. After a refused send, all further sends to the peer are refused.
    private func refuses(_ peer: PeerID) -> Bool {
        if simulation.isRefusalDue {
            simulation.isRefusalDue = false
            return true
        }
        return unreachable.contains(peer)
    }

    /// Removes a peer whose session has ended. Its connection is closed a little later; a message that
    /// arrives until then creates a new peer.
    func disconnect(_ peer: PeerID) {
        let connection = connections[peer]
        remove(peer)
        if let connection {
            simulation.planExpulsion(of: connection)
        }
    }

    // MARK: - The log

    func log(_ entry: LogEntry) {
        simulation.log("daemon: \(entry)")
        guard case .violation(let processID, let code, let sentence) = entry else {
            return
        }
        switch code {
        case .superseded, .greetingRequired, .shuttingDown: break
        case .messageLost where simulation.network.hasLostMiddle(processID): break
        default:
            simulation.addFinding(
                Finding("protocol", "a correct session is ended, \(code): \(sentence)"))
        }
    }
}
