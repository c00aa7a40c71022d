// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule
import ZeroMQ

/// What is to be sent to each peer, as slots of the message store.
///
/// The frames for one peer go out together: it is addressed once, and its reader woken once,
/// however many there are. What a peer takes no more of stays here until it does. libzmq's own
/// queues are short, in messages and by ``chunkByteCountMax`` in bytes, and large frames are
/// counted while they are in them: so what waits for a peer is known.
struct Outbox {
    struct Frame {
        var slot: UInt32
        var byteCount: UInt32
        /// Whether a ``ByteCounter`` counts it for as long as it exists.
        var isCounted: Bool
    }

    private struct Entry {
        /// Of the peer that the frames are for: an index may have a new peer before the turn ends.
        var generation: UInt32 = 0
        var frames: [Frame] = []
        /// Frames at the beginning that have been sent.
        var sentCount = 0
        /// Bytes of the unsent frames that are not counted for as long as they exist.
        var byteCount = 0
        /// Those of them that the peer's counter knows: all, behind a flush that could not send.
        var notedByteCount = 0
        /// The largest frame since nothing waited.
        var largestByteCount = 0
        var isBlocked = false

        var isEmpty: Bool {
            sentCount == frames.count
        }
    }

    /// From so many bytes on a frame is counted until libzmq has written it.
    static let countedByteCountMin = 4_096
    /// How many bytes libzmq is given as one message, if not one frame has more.
    static let chunkByteCountMax = 32_768
    /// An array that grew beyond this is not kept for the next turn.
    private static let keptCapacityMax = 1_024

    var waiting = WaitingBytes()
    private var entries: [Entry] = []
    /// The peers that have frames to be sent at the end of the turn, in the order in which they got
    /// their first.
    private(set) var peers: [PeerID] = []
    /// The peers that took nothing more when they were tried last.
    private var blocked: Deque<PeerID> = []

    /// Behind a flush: whether a peer takes nothing more for now.
    var isBlocked: Bool {
        !blocked.isEmpty
    }

    mutating func append(_ frame: Frame, to peer: PeerID) {
        while entries.count <= peer.index {
            entries.append(Entry())
        }
        let index = Int(peer.index)
        if entries[index].isEmpty {
            if entries[index].generation != peer.generation {
                entries[index] = Entry(generation: peer.generation)
            }
            if waiting.unread(of: peer)?.byteCount ?? 0 == 0 {
                entries[index].largestByteCount = 0
            }
            peers.append(peer)
        }
        entries[index].frames.append(frame)
        entries[index].largestByteCount = max(
            entries[index].largestByteCount, Int(frame.byteCount))
        if !frame.isCounted {
            entries[index].byteCount += Int(frame.byteCount)
        }
    }

    // MARK: - Bytes

    /// Bytes that the peer has yet to read, here and, of large frames, in libzmq.
    func unreadByteCount(of peer: PeerID) -> Int {
        let counted = waiting.unread(of: peer)?.byteCount ?? 0
        guard has(peer) else {
            return counted
        }
        let entry = entries[Int(peer.index)]
        return counted + entry.byteCount - entry.notedByteCount
    }

    /// The most bytes that one frame had of what the peer has yet to read. One large answer is no
    /// reason to part with a peer that has had no time to read it.
    func largestByteCount(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].largestByteCount : 0
    }

    /// Brings the peer's counter up to date with what waits here.
    private mutating func note(_ peer: PeerID) {
        let entry = entries[Int(peer.index)]
        if entry.notedByteCount != entry.byteCount {
            waiting.unread(of: peer)?.add(entry.byteCount - entry.notedByteCount)
            entries[Int(peer.index)].notedByteCount = entry.byteCount
        }
    }

    // MARK: - Sending

    /// How many unsent frames of the peer are to go out as one message.
    func chunkCount(of peer: PeerID) -> Int {
        guard has(peer) else {
            return 0
        }
        let entry = entries[Int(peer.index)]
        var byteCount = 0
        var count = 0
        for place in entry.sentCount..<entry.frames.count {
            byteCount += Int(entry.frames[place].byteCount)
            if count > 0, byteCount > Self.chunkByteCountMax {
                break
            }
            count += 1
        }
        return count
    }

    /// Unsent frames of the peer.
    func count(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].frames.count - entries[Int(peer.index)].sentCount : 0
    }

    /// The peer's next unsent frame, which is its own no longer.
    mutating func takeFrame(of peer: PeerID) -> UInt32 {
        let index = Int(peer.index)
        let frame = entries[index].frames[entries[index].sentCount]
        entries[index].sentCount += 1
        if !frame.isCounted {
            entries[index].byteCount -= Int(frame.byteCount)
        }
        if entries[index].isEmpty {
            let keepsCapacity = entries[index].frames.count <= Self.keptCapacityMax
            entries[index].frames.removeAll(keepingCapacity: keepsCapacity)
            entries[index].sentCount = 0
        } else if entries[index].sentCount > Self.keptCapacityMax,
            entries[index].sentCount > entries[index].frames.count / 2
        {
            entries[index].frames.removeFirst(entries[index].sentCount)
            entries[index].sentCount = 0
        }
        return frame.slot
    }

    /// The peer has been sent all that it takes for now.
    mutating func finish(_ peer: PeerID) {
        guard has(peer) else {
            return
        }
        if !entries[Int(peer.index)].isEmpty, !entries[Int(peer.index)].isBlocked {
            entries[Int(peer.index)].isBlocked = true
            blocked.append(peer)
        }
        note(peer)
    }

    /// The peer whose turn it is to be tried again.
    mutating func nextBlocked() -> PeerID? {
        guard let peer = blocked.popFirst() else {
            return nil
        }
        if has(peer) {
            entries[Int(peer.index)].isBlocked = false
        }
        return peer
    }

    /// Peers that took nothing more when they were tried last.
    var blockedCount: Int {
        blocked.count
    }

    /// All peers with frames have been tried in this turn.
    mutating func clearPeers() {
        peers.removeAll(keepingCapacity: peers.count <= Self.keptCapacityMax)
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
