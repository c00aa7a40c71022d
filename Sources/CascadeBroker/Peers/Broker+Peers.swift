// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Connections: the greeting, beats, credit, the end.
extension Broker {
    mutating func connected(_ peer: PeerID, _ credentials: Credentials) {
        shareAccounts(with: credentials)
        let deadline = deadlines.insert(
            now.advanced(byMilliseconds: configuration.greetingMilliseconds), .peer(peer))
        peers.insert(
            peer,
            Peer(
                peer, credentials, configuration.policy.authorization(of: credentials.identity),
                account: accounts.number(of: credentials.owner), greetingDeadline: deadline))
    }

    /// A peer that is neither the bus's user nor root shows that several users can reach the bus.
    private mutating func shareAccounts(with credentials: Credentials) {
        if let own = configuration.userID, ![own, 0].contains(credentials.userID) {
            accounts.share()
        }
    }

    mutating func greet(
        _ header: Header, from peer: PeerID, fields: [UInt8]
    ) throws(WireError) {
        guard header.command == .hello else {
            throw WireError(
                .greetingRequired, "a '\(header.command)' came before the greeting, 'hello'")
        }
        let hello = try Hello(header: header, fields: FieldReader(fields))
        let version = try agreedVersion(hello.versions)
        if let key = hello.policyKey {
            try bringIn(key, on: peer)
        }
        let identity = try identity(hello)
        try claim(identity, by: peer)
        try checkSessions(of: peer)
        accounts.beginSession(of: peers[peer].account)
        deadlines.remove(peers[peer].greetingDeadline)
        peers[peer].greet(program: hello.program, processID: hello.processID)
        begin(identity, on: peer)
        peers.bind(hello.session, of: peer)
        send(
            Welcome(
                version: version, bus: configuration.bus, release: configuration.release,
                processID: configuration.processID, credit: configuration.limits.credit,
                beatMilliseconds: configuration.beatMilliseconds,
                limits: configuration.limits.named,
                reattachMilliseconds: reattachMillisecondsLeft), to: peer)
    }

    /// Makes the session that of a key of another bus. Only a peer that may connect other buses to the
    /// root is believed: the daemon knows the keys of those buses from it alone.
    private mutating func bringIn(_ key: String, on peer: PeerID) throws(WireError) {
        guard mayAct(.uplink, .root, peer) else {
            throw WireError(
                .notYours,
                "the greeting is of the key '\(key)', but \(denial(.uplink, .root, peer))")
        }
        let credentials = Credentials(of: key, carriedBy: peers[peer].credentials)
        shareAccounts(with: credentials)
        peers[peer].become(
            keyNamed: key, configuration.policy.authorization(of: credentials.identity),
            account: accounts.number(of: credentials.owner))
        turn.account = peers[peer].account
    }

    private func agreedVersion(_ offered: ClosedRange<UInt16>) throws(WireError) -> UInt16 {
        let known = ProtocolVersion.min...ProtocolVersion.max
        guard offered.overlaps(known) else {
            throw WireError(
                .versionMismatch,
                "the peer speaks versions \(offered.lowerBound) to \(offered.upperBound) of the "
                    + "protocol, this daemon \(known.lowerBound) to \(known.upperBound)")
        }
        return min(offered.upperBound, known.upperBound)
    }

    mutating func violated(_ peer: PeerID, _ violation: Violation) {
        // It is the peer's doing, whatever input or deadline has shown it.
        let account = turn.account
        turn.account = peers[peer].account
        defer { turn.account = account }
        observers.counters.count(.violations)
        log(
            .violation(
                processID: peers[peer].credentials.processID, violation.code,
                sentence: violation.sentence))
        send(violation, to: peer)
        turn.effects.append(.disconnect(peer))
        gone(peer)
    }

    /// The shell has found that the peer should not be there.
    mutating func expelled(_ peer: PeerID, _ violation: Violation) {
        if peers.contains(peer) {
            violated(peer, violation)
        }
    }

    /// Records that the kernel will not report the end of the peer's process.
    mutating func unwatched(_ peer: PeerID) {
        if peers.contains(peer) {
            peers[peer].markUnwatched()
        }
    }

    mutating func dismissAll() {
        for peer in peers.greeted {
            send(Violation(.shuttingDown, "the daemon has stopped"), to: peer)
        }
    }

    mutating func gone(_ peer: PeerID) {
        guard peers.contains(peer) else {
            return
        }
        end(peer)
        endExit(of: peer)
    }

    private mutating func end(_ peer: PeerID) {
        deadlines.remove(peers[peer].greetingDeadline)
        let record = peers[peer]
        guard record.state == .greeted else {
            peers.remove(peer)
            return
        }
        accounts.endSession(of: record.account)
        // From here on the peer receives nothing more, not even its own events' outcomes.
        peers[peer].end()
        // Its nodes receive no more deliveries either, also none that follow from cancelling its
        // requests.
        for node in record.nodes {
            hierarchy[node].close()
        }
        endRepeatingQueries(of: peer)
        // A request that is cancelled has no outcome to keep: it is asked anew, if at all.
        cancelRequests(of: peer)
        let isRemembered = remember(peer)
        if !isRemembered {
            markForgotten(record.session, of: peer)
            forgetKept(of: peer)
        }
        // Some may have gone with nodes that only waited for a request that was cancelled.
        lose(peers[peer].nodes, of: peer)
        forgetForeignSessions(of: peer)
        let session = sessions.identity(record.session)
        peers.forget(sessions[record.session])
        forgetNames(of: peer)
        peers.remove(peer)
        passOnOutcomes(of: session)
        if !isRemembered {
            unpinSession(record.session)
        }
    }

    mutating func greetingTimedOut(_ peer: PeerID) {
        violated(
            peer,
            Violation(
                .greetingRequired,
                "no greeting came within \(configuration.greetingMilliseconds) ms"))
    }

    // MARK: - Beats

    mutating func beat() {
        let beat = peers.nextBeatForAll()
        _ = deadlines.insert(now.advanced(byMilliseconds: configuration.beatMilliseconds), .beat)
        writeAge()
        for peer in peers.greeted {
            let wasResponsive = peers[peer].isResponsive
            turn.effects.append(.send(Header(.beat, id: beat.id), to: peer))
            peers[peer].countBeat()
            if peers[peer].countsAsGone {
                violated(
                    peer,
                    Violation(
                        .notReading, "\(peers[peer].missedBeats) beats were not answered"))
                continue
            }
            if wasResponsive, !peers[peer].isResponsive {
                hierarchy.advanceVersion()
                reportResponsiveness(of: peer, .unresponsive(processID: processID(of: peer)))
                for node in peers[peer].nodes {
                    raise(
                        .nodeSlow, at: node, "the process answers no beats",
                        of: processID(of: peer), chargedTo: peers[peer].account)
                }
            }
        }
    }

    mutating func beatAnswered(_ header: Header, by peer: PeerID) {
        confirmReceived(header.sequence, by: peer)
        if !peers[peer].isResponsive {
            hierarchy.advanceVersion()
            reportResponsiveness(of: peer, .responsive(processID: processID(of: peer)))
        }
        peers[peer].recordBeatAnswer()
        let beat = Beat(id: header.id)
        if case .position = beat {
            monitorBeatAnswered(beat, by: peer)
            observers.repeatingQueries.read(beat, by: peer)
        }
    }

    private func processID(of peer: PeerID) -> UInt32 {
        peers[peer].credentials.processID
    }

    /// Reports a peer's responsiveness: the process to the log, each of its nodes to monitors.
    private mutating func reportResponsiveness(of peer: PeerID, _ entry: LogEntry) {
        turn.effects.append(.log(entry))
        for node in peers[peer].nodes {
            hierarchy.recordTreeChange(of: node)
            var monitorEvent = MonitorEvent(of: entry)
            monitorEvent.path = hierarchy.path(of: node)
            recordMonitorEvent(monitorEvent)
        }
    }

    // MARK: - Credit

    /// Returns the credit of an unacknowledged event that has ended. Credit is returned in batches.
    @inline(__always)
    mutating func returnUnacknowledgedCredit(_ peer: PeerID) {
        guard peers.isGreeted(peer) else {
            return
        }
        if let due = peers[peer].returnUnacknowledged(batch: configuration.limits.credit / 4) {
            turn.effects.append(.send(Header(.credit, code: due), to: peer))
        }
    }
}
