// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that every acknowledged message has exactly one outcome, as long as its origin lives.
struct OutcomeOracle {
    /// The messages without an outcome, and the times at which they were raised.
    private var pending: [EventID: Instant] = [:]
    private var pendingOfProcess: [Int: Set<EventID>] = [:]
    /// The outcomes sent to each peer.
    private var sent: Set<Sent> = []
    /// The messages that had no outcome when the daemon started.
    private var raisedBefore: Set<EventID> = []

    private struct Sent: Hashable {
        var peer: PeerID
        var sequence: UInt64
    }

    mutating func daemonStarted() {
        sent = []
        raisedBefore = Set(pending.keys)
    }

    mutating func raised(_ event: EventID, by process: Int, at now: Instant) {
        pending[event] = now
        pendingOfProcess[process, default: []].insert(event)
    }

    /// Returns whether the event was triggered while another daemon ran.
    func isSentAgain(_ event: EventID) -> Bool {
        raisedBefore.contains(event)
    }

    /// Removes the messages of an exited origin, which cannot receive their outcomes.
    mutating func originEnded(_ process: Int) {
        for event in pendingOfProcess.removeValue(forKey: process) ?? [] {
            pending[event] = nil
        }
    }

    /// Records that the peer sends a message again. If the message has ended, its outcome is sent again.
    mutating func redelivered(_ sequence: UInt64, by peer: PeerID) {
        sent.remove(Sent(peer: peer, sequence: sequence))
    }

    /// Records that the daemon sends an outcome to a peer. Returns a finding if it is the second one.
    mutating func sent(
        _ sequence: UInt64, to peer: PeerID, session: SessionID?
    ) -> Finding? {
        guard !sent.insert(Sent(peer: peer, sequence: sequence)).inserted else {
            return nil
        }
        return Finding(
            "outcome", "the daemon sends the outcome of #\(sequence) twice",
            event: session.map { EventID(session: $0, sequence: sequence) })
    }

    /// Records that the origin has received an outcome or a refusal. Returns a finding if it is not the
    /// first one.
    mutating func ended(_ event: EventID, of process: Int) -> Finding? {
        guard pending.removeValue(forKey: event) != nil else {
            return Finding(
                "outcome", "an outcome of \(event), which has one or was never raised",
                event: event)
        }
        pendingOfProcess[process]?.remove(event)
        return nil
    }

    /// Returns a finding if any message has no outcome.
    func overdue(at now: Instant) -> Finding? {
        let oldest = pending.min { left, right in
            (left.value, left.key.sequence, left.key.session.high)
                < (right.value, right.key.sequence, right.key.session.high)
        }
        return oldest.map { event, _ in
            Finding(
                "outcome",
                "\(pending.count) have no outcome long after every deadline, "
                    + "the oldest of them \(event)", event: event)
        }
    }
}

/// Checks that every request to the daemon is answered, as long as the requester lives.
struct AnswerOracle {
    private struct Request: Hashable {
        var process: Int
        var number: UInt64
    }

    private struct Open {
        var kind: String
        var since: Instant
    }

    private var open: [Request: Open] = [:]

    mutating func requested(_ number: UInt64, _ kind: String, by process: Int, at now: Instant) {
        open[Request(process: process, number: number)] = Open(kind: kind, since: now)
    }

    mutating func answered(_ number: UInt64, to process: Int) {
        open[Request(process: process, number: number)] = nil
    }

    mutating func processEnded(_ process: Int) {
        open = open.filter { $0.key.process != process }
    }

    /// Returns a finding if a request from before `deadline` has no answer.
    func overdue(since deadline: Instant) -> Finding? {
        let overdue = open.filter { $0.value.since < deadline }.min { left, right in
            (left.key.process, left.key.number) < (right.key.process, right.key.number)
        }
        return overdue.map { request, open in
            Finding(
                "answer",
                "the request \(request.number) of process \(request.process), '\(open.kind)', "
                    + "has no answer")
        }
    }
}

/// Checks that a node answers each visit and delivery once.
struct VerdictOracle {
    private struct Delivery: Hashable {
        var peer: PeerID
        var id: UInt64
        var node: UInt32
    }

    /// A node that was detached and attached again may receive the same publication again, under
    /// the same numbers.
    private var sentCounts: [Delivery: Int] = [:]
    private var answerCounts: [Delivery: Int] = [:]

    mutating func sent(_ header: Header, to node: UInt32, of peer: PeerID) {
        sentCounts[Delivery(peer: peer, id: header.id, node: node), default: 0] += 1
    }

    mutating func answered(_ header: Header, by peer: PeerID) -> Finding? {
        let delivery = Delivery(peer: peer, id: header.id, node: header.node)
        answerCounts[delivery, default: 0] += 1
        // An answer on the connection of a removed peer comes from a new peer.
        let sentCount = max(1, sentCounts[delivery] ?? 0)
        return answerCounts[delivery, default: 0] <= sentCount
            ? nil
            : Finding(
                "verdict", "the delivery \(header.id) is answered more often than it was sent")
    }
}
