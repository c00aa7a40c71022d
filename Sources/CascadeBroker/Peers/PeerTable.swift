// SPDX-License-Identifier: Apache-2.0

import BasicContainers
import CascadeWire

/// The connections, at the numbers that the shell gave them.
struct PeerTable: ~Copyable {
    private var records = UniqueArray<Peer>()
    /// The connection of each session.
    private var peers: [SessionID: PeerID] = [:]
    /// The number of the latest beat to all peers, and of the latest to one peer.
    private var lastLivenessBeat: UInt64 = 0
    private var lastPositionBeat: UInt64 = 0
    var exits = Exits()

    /// The record of a peer, whether it is still connected or not.
    subscript(peer: PeerID) -> Peer {
        _read { yield records[Int(peer.index)] }
        _modify { yield &records[Int(peer.index)] }
    }

    mutating func insert(_ peer: PeerID, _ record: Peer) {
        while records.count <= peer.index {
            records.append(Peer())
        }
        records[Int(peer.index)] = record
    }

    // MARK: - Beats

    /// Returns a beat that asks one peer how far it has read.
    mutating func nextBeat() -> Beat {
        lastPositionBeat += 1
        return .position(lastPositionBeat)
    }

    /// Returns a beat that asks all peers whether they are alive.
    mutating func nextBeatForAll() -> Beat {
        lastLivenessBeat += 1
        return .liveness(lastLivenessBeat)
    }

    // MARK: - Sessions

    /// Returns the peer of a session.
    func peer(of session: SessionID) -> PeerID? {
        peers[session]
    }

    mutating func bind(_ session: SessionID, of peer: PeerID) {
        peers[session] = peer
    }

    mutating func forget(_ session: SessionID) {
        peers[session] = nil
    }

    /// Forgets everything of a peer that has gone.
    mutating func remove(_ peer: PeerID) {
        records[Int(peer.index)] = Peer()
    }

    /// Whether there is a session of this peer to talk to.
    func isGreeted(_ peer: PeerID) -> Bool {
        peer.index < records.count && records[Int(peer.index)].generation == peer.generation
            && records[Int(peer.index)].state == .greeted
    }

    /// The peer is known, in whatever state.
    func contains(_ peer: PeerID) -> Bool {
        peer.index < records.count && records[Int(peer.index)].generation == peer.generation
    }

    /// Returns the session that receives the message's outcome; `nil` if none is connected that
    /// does.
    @inline(__always)
    func waitingSession(of message: borrowing Message) -> SessionIndex? {
        guard !message.isUnacknowledged, contains(message.origin.peer) else {
            return nil
        }
        let session = self[message.origin.peer].session
        return session == SessionIndex.none ? nil : session
    }

    /// All peers that have a session, in the order of their numbers.
    var greeted: [PeerID] {
        records.indices.compactMap { index in
            records[index].state == .greeted
                ? PeerID(index: UInt32(index), generation: records[index].generation) : nil
        }
    }

    /// All peers that are there, in the order of their numbers.
    var connected: [PeerID] {
        records.indices.compactMap { index in
            records[index].state != .ended
                ? PeerID(index: UInt32(index), generation: records[index].generation) : nil
        }
    }

    /// A node's number will mean something else, to all peers.
    mutating func forgetNode(_ node: NodeIndex) {
        for index in records.indices {
            records[index].numbers.forget(node)
        }
    }

    /// A session's number will mean something else, to all peers.
    mutating func forgetSession(_ session: SessionIndex) {
        for index in records.indices {
            records[index].numbers.forget(session)
        }
    }
}

/// A beat of the bus, which its peer answers in order, after all messages before it.
enum Beat: Hashable, Sendable {
    /// Asks all peers whether they are alive.
    case liveness(UInt64)
    /// Asks a monitor, or the reader of a long answer, how far it has read.
    case position(UInt64)

    private static let positionBit: UInt64 = 1 << 63

    init(id: UInt64) {
        let number = id & ~Self.positionBit
        self = number == id ? .liveness(number) : .position(number)
    }

    /// The ID in the header of the beat and of its answer.
    var id: UInt64 {
        switch self {
        case .liveness(let number): number
        case .position(let number): number | Self.positionBit
        }
    }
}
