// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import DequeModule
import ZeroMQ

/// The frames to send to each peer, as slots of the message store.
///
/// The frames of one peer are sent together: it is addressed once, and its reader wakes once.
/// Frames beyond libzmq's queue wait here. That queue is short, in messages and by
/// ``chunkByteCountMax`` in bytes, and large frames in it are counted: so the bytes that wait for a
/// peer are known.
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
        /// Bytes of the unsent frames whose ``Frame/isCounted`` is false.
        var byteCount = 0
        /// The part of `byteCount` that the peer's counter includes: all of it after a blocked
        /// flush.
        var reportedByteCount = 0
        /// The largest frame since the outbox was empty.
        var largestByteCount = 0
        var isBlocked = false

        var isEmpty: Bool {
            sentCount == frames.count
        }
    }

    /// Frames of at least this size are counted until libzmq has written them.
    static let countedByteCountMin = 4_096
    /// The most bytes that libzmq is given as one message, unless a single frame is larger.
    static let chunkByteCountMax = 32_768
    /// The storage of an array that grew beyond this is released.
    private static let keptCapacityMax = 1_024

    var waiting = WaitingBytes()
    private var entries: [Entry] = []
    /// The peers with frames to send at the end of the turn, in the order of their first frame.
    private(set) var peers: [PeerID] = []
    /// The peers whose queues were full at the last try.
    private var blocked: Deque<PeerID> = []

    /// Whether a peer's queue was full at the last flush.
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
        return counted + entry.byteCount - entry.reportedByteCount
    }

    /// The size of the largest frame that the peer has yet to read. One large answer is no reason
    /// to end the session of a peer that had no time to read it.
    func largestByteCount(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].largestByteCount : 0
    }

    /// Adds the frames that wait here to the peer's counter.
    private mutating func updateCounter(of peer: PeerID) {
        let entry = entries[Int(peer.index)]
        if entry.reportedByteCount != entry.byteCount {
            waiting.unread(of: peer)?.add(entry.byteCount - entry.reportedByteCount)
            entries[Int(peer.index)].reportedByteCount = entry.byteCount
        }
    }

    // MARK: - Sending

    /// The number of unsent frames to send as one message.
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

    /// The number of unsent frames of the peer.
    func count(of peer: PeerID) -> Int {
        has(peer) ? entries[Int(peer.index)].frames.count - entries[Int(peer.index)].sentCount : 0
    }

    /// Removes and returns the slot of the peer's next unsent frame. The caller owns the slot.
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

    /// Ends a flush of the peer: if frames are left, the peer is queued to be tried again.
    mutating func finish(_ peer: PeerID) {
        guard has(peer) else {
            return
        }
        if !entries[Int(peer.index)].isEmpty, !entries[Int(peer.index)].isBlocked {
            entries[Int(peer.index)].isBlocked = true
            blocked.append(peer)
        }
        updateCounter(of: peer)
    }

    /// The next peer to try again.
    mutating func nextBlocked() -> PeerID? {
        guard let peer = blocked.popFirst() else {
            return nil
        }
        if has(peer) {
            entries[Int(peer.index)].isBlocked = false
        }
        return peer
    }

    /// The number of peers whose queues were full at the last try.
    var blockedCount: Int {
        blocked.count
    }

    /// Ends a flush of all peers.
    mutating func clearPeers() {
        peers.removeAll(keepingCapacity: peers.count <= Self.keptCapacityMax)
    }

    private func has(_ peer: PeerID) -> Bool {
        peer.index < entries.count && entries[Int(peer.index)].generation == peer.generation
    }
}
