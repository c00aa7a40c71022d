// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The places of processes that have exited. Messages that such a process had written are handled
/// before another session gets its places, so that session waits, and its inputs are parked.
extension Broker {
    /// Records that the peer's process has exited. Its remaining messages precede
    /// ``Input/gone(_:)``.
    mutating func exited(_ peer: PeerID) {
        if peers.contains(peer) {
            peers.exits.recordExit(of: peer)
        }
    }

    /// Whether inputs of the peer are parked. Then ``Input/gone(_:)`` is parked as well, the peer's
    /// number stays in use, and ``Effect/disconnect(_:)`` ends it.
    package func parksInputs(of peer: PeerID) -> Bool {
        peers.exits.isParking(peer)
    }

    /// Whether the session has to wait before it attaches, because sessions of exited processes
    /// hold some of these places.
    mutating func waits(_ attach: Attach, of peer: PeerID) -> Bool {
        guard peers.exits.hasAny else {
            return false
        }
        let holders = attach.nodes.compactMap { declaration in
            hierarchy.find(declaration.path).flatMap { hierarchy[$0].holder }
        }
        return peers.exits.wait(peer, for: holders)
    }

    // MARK: - Parking

    /// Parks a message behind the others of its peer, whose user is charged for it.
    mutating func park(_ payload: Payload, of peer: PeerID, isFirst: Bool = false) {
        let limits = configuration.limits
        let parked = peers.exits.parkedSize(of: peer)
        guard isFirst || parked.messageCount < limits.waitingMessages,
            parked.byteCount + payload.count <= limits.unreadBytes,
            (try? checkBytes(payload.count + Payload.recordByteCount, of: peer)) != nil
        else {
            violated(
                peer,
                Violation(
                    .notReading,
                    "\(parked.messageCount) messages of \(parked.byteCount) bytes wait for the place "
                        + "of a process that has exited (limits waitingMessages, unreadBytes and "
                        + "bytesPerUser)"))
            return
        }
        charge(payload, to: peers[peer].account)
        peers.exits.park(.received(peer, payload), byteCount: payload.count, of: peer, isFirst)
    }

    /// Parks the end of a peer behind its messages. Returns whether it had to be.
    mutating func parkEnd(of peer: PeerID) -> Bool {
        guard peers.exits.isParking(peer) else {
            return false
        }
        peers.exits.park(.gone(peer), byteCount: 0, of: peer, false)
        return true
    }

    /// Removes what is known of the exit of a peer that has ended, and its parked messages.
    mutating func endExit(of peer: PeerID) {
        for case .received(_, let payload) in peers.exits.remove(peer) {
            release(payload)
        }
    }

    /// Handles inputs that wait no longer, and schedules the rest: one input must not take the time of
    /// all that were parked.
    @inline(never)
    mutating func resumeParked() {
        var count = 0
        while let peer = peers.exits.firstReady {
            guard count < Self.inputsPerSlice else {
                if peers.exits.beginPause() {
                    _ = deadlines.insert(now, .parked)
                }
                return
            }
            count += 1
            switch peers.exits.takeFirst(of: peer) {
            case .received(_, let payload)?:
                release(payload)
                received(payload, from: peer)
            case .gone?:
                act(for: peer)
                gone(peer)
                turn.effects.append(.disconnect(peer))
            case _: break
            }
        }
    }

    /// Parked inputs that are handled together with one other input.
    private static let inputsPerSlice = 64
}

/// The peers whose processes have exited and whose messages are still arriving, and the peers that
/// wait for their places, with the inputs that wait with them.
struct Exits: Sendable {
    private struct Parked {
        var inputs: Deque<Input> = []
        var byteCount = 0
        /// The peers that have to go first.
        var holders: [PeerID]
    }

    private var exited: Set<PeerID> = []
    private var parked: [PeerID: Parked] = [:]
    /// Peers that wait for no other one any more, in the order in which they are continued.
    private var ready: Deque<PeerID> = []

    var hasAny: Bool {
        !exited.isEmpty
    }

    /// Whether inputs of any peer are parked.
    var isParkingAny: Bool {
        !parked.isEmpty
    }

    func isParking(_ peer: PeerID) -> Bool {
        !parked.isEmpty && parked[peer] != nil
    }

    mutating func recordExit(of peer: PeerID) {
        exited.insert(peer)
    }

    // MARK: - Waiting

    /// The peer waits for those of the holders that have exited. Returns whether there are any. A
    /// holder that waits for the peer itself does not count: neither would ever go on.
    mutating func wait(_ peer: PeerID, for holders: [PeerID]) -> Bool {
        let behind = peersBehind(peer)
        let holders = Set(holders).filter {
            $0 != peer && exited.contains($0) && !behind.contains($0)
        }
        guard !holders.isEmpty else {
            return false
        }
        parked[peer, default: Parked(holders: [])].holders = Array(holders)
        ready.removeAll { $0 == peer }
        return true
    }

    /// The peers that wait until a peer has gone, directly or behind others.
    private func peersBehind(_ peer: PeerID) -> Set<PeerID> {
        var behind: Set<PeerID> = []
        var unseen = [peer]
        while let next = unseen.popLast() {
            for (other, entry) in parked where entry.holders.contains(next) {
                if behind.insert(other).inserted {
                    unseen.append(other)
                }
            }
        }
        return behind
    }

    /// Removes a peer that has gone, and returns its parked inputs. Peers that waited for no other
    /// one are ready.
    mutating func remove(_ peer: PeerID) -> Deque<Input> {
        guard exited.remove(peer) != nil || !parked.isEmpty else {
            return []
        }
        let removed = parked.removeValue(forKey: peer)
        ready.removeAll { $0 == peer }
        var freed: [PeerID] = []
        for (other, entry) in parked where entry.holders.contains(peer) {
            parked[other]?.holders.removeAll { $0 == peer }
            if entry.holders.count == 1 {
                freed.append(other)
            }
        }
        ready += freed.sorted { $0.index < $1.index }
        return removed?.inputs ?? []
    }

    // MARK: - Parked inputs

    /// The messages that a peer has parked, and their bytes.
    func parkedSize(of peer: PeerID) -> (messageCount: Int, byteCount: Int) {
        (parked[peer]?.inputs.count ?? 0, parked[peer]?.byteCount ?? 0)
    }

    /// Parks an input behind the others of a peer that waits, or before them.
    mutating func park(_ input: Input, byteCount: Int, of peer: PeerID, _ isFirst: Bool) {
        parked[peer]?.byteCount += byteCount
        if isFirst {
            parked[peer]?.inputs.prepend(input)
        } else {
            parked[peer]?.inputs.append(input)
        }
    }

    /// Whether the rest of the inputs that are ready is scheduled.
    private var isPausing = false

    /// Records that the rest is scheduled. Returns whether it was not yet.
    mutating func beginPause() -> Bool {
        defer { isPausing = true }
        return !isPausing
    }

    mutating func endPause() {
        isPausing = false
    }

    /// The peer to continue with.
    var firstReady: PeerID? {
        ready.first
    }

    /// Removes and returns the first input of a peer that is ready; after the last one, the peer's
    /// inputs are parked no longer.
    mutating func takeFirst(of peer: PeerID) -> Input? {
        let input = parked[peer]?.inputs.popFirst()
        if case .received(_, let payload)? = input {
            parked[peer]?.byteCount -= payload.count
        }
        if parked[peer]?.inputs.isEmpty ?? true {
            parked[peer] = nil
            ready.removeAll { $0 == peer }
        }
        return input
    }
}
