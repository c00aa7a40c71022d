// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Every acknowledged message has exactly one outcome, as long as its origin lives.
struct OutcomeOracle {
    /// Messages without an outcome, and when they were triggered.
    private var pending: [EventID: Instant] = [:]
    private var pendingOfProcess: [Int: Set<EventID>] = [:]
    /// The outcomes sent to each peer.
    private var sent: Set<Sent> = []
    /// Messages that had no outcome when the daemon started.
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

    /// Whether the event was triggered while another daemon ran.
    func isSentAgain(_ event: EventID) -> Bool {
        raisedBefore.contains(event)
    }

    /// The origin has ended: its outcomes can no longer be sent.
    mutating func originEnded(_ process: Int) {
        for event in pendingOfProcess.removeValue(forKey: process) ?? [] {
            pending[event] = nil
        }
    }

    /// The peer sends a message again: if it has ended, its outcome is sent again.
    mutating func sentAgain(_ sequence: UInt64, by peer: PeerID) {
        sent.remove(Sent(peer: peer, sequence: sequence))
    }

    /// The daemon sends an outcome to a peer.
    mutating func sent(
        _ sequence: UInt64, to peer: PeerID, session: SessionID?
    ) -> Finding? {
        guard !sent.insert(Sent(peer: peer, sequence: sequence)).inserted else {
            return nil
        }
        return Finding(
            "outcome", "the daemon tells the outcome of #\(sequence) twice",
            event: session.map { EventID(session: $0, sequence: sequence) })
    }

    /// The origin has received an outcome, or a refusal.
    mutating func ended(_ event: EventID, of process: Int) -> Finding? {
        guard pending.removeValue(forKey: event) != nil else {
            return Finding(
                "outcome", "an outcome of \(event), which has one or was never raised",
                event: event)
        }
        pendingOfProcess[process]?.remove(event)
        return nil
    }

    /// A finding if messages have no outcome by now.
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

/// Every request to the daemon is answered, as long as the requester lives.
struct AnswerOracle {
    private struct Asked: Hashable {
        var process: Int
        var request: UInt64
    }

    private struct Open {
        var what: String
        var since: Instant
    }

    private var open: [Asked: Open] = [:]

    mutating func asked(_ request: UInt64, _ what: String, by process: Int, at now: Instant) {
        open[Asked(process: process, request: request)] = Open(what: what, since: now)
    }

    mutating func answered(_ request: UInt64, to process: Int) {
        open[Asked(process: process, request: request)] = nil
    }

    mutating func ended(_ process: Int) {
        open = open.filter { $0.key.process != process }
    }

    /// A request from before `deadline` without an answer.
    func overdue(since deadline: Instant) -> Finding? {
        let overdue = open.filter { $0.value.since < deadline }.min { left, right in
            (left.key.process, left.key.request) < (right.key.process, right.key.request)
        }
        return overdue.map { asked, open in
            Finding(
                "answer",
                "a '\(open.what)' of process \(asked.process) has no answer, number "
                    + "\(asked.request)")
        }
    }
}

/// A node answers each visit and delivery once.
struct VerdictOracle {
    private struct Handing: Hashable {
        var peer: PeerID
        var id: UInt64
        var node: UInt32
    }

    /// A node that was detached and attached again may receive the same publication again, under
    /// the same numbers.
    private var handedCounts: [Handing: Int] = [:]
    private var answeredCounts: [Handing: Int] = [:]

    mutating func handed(_ header: Header, to node: UInt32, of peer: PeerID) {
        handedCounts[Handing(peer: peer, id: header.id, node: node), default: 0] += 1
    }

    mutating func answered(_ header: Header, by peer: PeerID) -> Finding? {
        let handing = Handing(peer: peer, id: header.id, node: header.node)
        answeredCounts[handing, default: 0] += 1
        // Answers to visits of a peer that was given up come from a new peer.
        let handedCount = max(1, handedCounts[handing] ?? 0)
        return answeredCounts[handing, default: 0] <= handedCount
            ? nil
            : Finding(
                "verdict", "the delivery \(header.id) is answered more often than it was sent")
    }
}
