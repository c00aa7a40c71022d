// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Exactly one outcome for everything that was raised, as long as its origin lives.
struct OutcomeOracle {
    /// What has none yet, and when it was raised.
    private var pending: [EventID: Instant] = [:]
    private var pendingOfProcess: [Int: Set<EventID>] = [:]
    /// What the daemon has told each peer.
    private var told: Set<Told> = []
    /// What was raised when the daemon started.
    private var raisedBefore: Set<EventID> = []

    private struct Told: Hashable {
        var peer: PeerID
        var sequence: UInt64
    }

    mutating func daemonStarted() {
        told = []
        raisedBefore = Set(pending.keys)
    }

    mutating func raised(_ event: EventID, by process: Int, at now: Instant) {
        pending[event] = now
        pendingOfProcess[process, default: []].insert(event)
    }

    /// Whether the event was raised when another daemon ran.
    func isSentAgain(_ event: EventID) -> Bool {
        raisedBefore.contains(event)
    }

    /// Nobody is left whom the outcomes could be told.
    mutating func originEnded(_ process: Int) {
        for event in pendingOfProcess.removeValue(forKey: process) ?? [] {
            pending[event] = nil
        }
    }

    /// The peer sends it again: if it has ended, it is to be told so again.
    mutating func sentAgain(_ sequence: UInt64, by peer: PeerID) {
        told.remove(Told(peer: peer, sequence: sequence))
    }

    /// The daemon tells a peer an outcome.
    mutating func sent(
        _ sequence: UInt64, to peer: PeerID, session: SessionID?
    ) -> Finding? {
        guard !told.insert(Told(peer: peer, sequence: sequence)).inserted else {
            return nil
        }
        return Finding(
            "outcome", "the daemon tells the outcome of #\(sequence) twice",
            event: session.map { EventID(session: $0, sequence: sequence) })
    }

    /// The origin has an outcome, or has been told that there will be none.
    mutating func ended(_ event: EventID, of process: Int) -> Finding? {
        guard pending.removeValue(forKey: event) != nil else {
            return Finding(
                "outcome", "an outcome of \(event), which has one or was never raised",
                event: event)
        }
        pendingOfProcess[process]?.remove(event)
        return nil
    }

    /// What should have ended by now.
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
