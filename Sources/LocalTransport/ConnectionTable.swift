// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZMTP

/// A connection of a transport. An ID is never used again: a later connection at the same index has
/// another generation. The index itself is used again once the owner has released the ID
/// (``Transport/release(_:)``), so that the owner can keep tables by index.
package struct ConnectionID: Hashable, Sendable {
    package let index: UInt32
    package let generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}

/// One accepted connection, with what it has received and not consumed, and what it has yet to write.
struct PeerConnection: ~Copyable {
    let descriptor: Int32
    let credentials: PeerCredentials
    /// When the connection was accepted or opened.
    let beganAt: Duration
    var engine: Connection
    var held = HeldBytes()
    var output = OutputQueue()

    /// The part of the output that its user's count includes: what was left by the last flush.
    var countedByteCount = 0

    /// The events that the event loop waits for.
    var interest: Epoll.Events = .readable

    /// Whether the held bytes may contain another event, because reading stopped before that.
    var hasEvents = false

    /// Whether the connection is in the queue of those with something to read.
    var isQueued = false
    /// Whether the connection is in the list of those to flush.
    var isUnflushed = false

    /// Whether the connection was opened here, and not accepted: no user's limits count it.
    var isOutgoing = false
    /// Whether the deadline of the handshake was put off once, because received bytes were not read yet.
    var isSpared = false
    /// Whether the connection was reported as connected.
    var wasOpened = false
    /// Whether the peer has sent a command that ZMTP does not define.
    var hasSentUnknownCommand = false
    /// Whether a write has found the socket full since the output was last empty.
    var isBlocked = false
    /// Whether the peer has gone: nothing more is written, and the rest is read.
    var hasEnded = false
    /// Whether the connection ends when nothing is left to read, also if the peer keeps it open.
    var endsWhenDrained = false
    /// Whether the owner has closed the connection: nothing is read, and the rest is written.
    var isClosing = false
    /// Whether the connection is removed before the next event.
    var isDoomed = false

    deinit {
        close(descriptor)
    }
}

/// The connections at addresses that do not change, by their IDs.
struct ConnectionTable: ~Copyable {
    private static let chunkShift: UInt32 = 6
    private static let chunkSize = 1 << Int(chunkShift)

    private struct Slot {
        var generation: UInt32 = 0
        var isLive = false
        /// Whether the owner of the transport knows the connection, and has not released its ID.
        var isKnown = false
    }

    private var chunks: [UnsafeMutablePointer<PeerConnection>] = []
    private var slots: [Slot] = []
    private var freeIndices: [UInt32] = []
    private(set) var count = 0

    deinit {
        for (index, slot) in slots.enumerated() where slot.isLive {
            pointer(UInt32(index)).deinitialize(count: 1)
        }
        for chunk in chunks {
            chunk.deallocate()
        }
    }

    mutating func insert(_ connection: consuming PeerConnection) -> ConnectionID {
        if freeIndices.isEmpty {
            let first = UInt32(slots.count)
            chunks.append(.allocate(capacity: Self.chunkSize))
            slots.append(contentsOf: repeatElement(Slot(), count: Self.chunkSize))
            freeIndices = (first..<first + UInt32(Self.chunkSize)).reversed()
        }
        let index = freeIndices.removeLast()
        slots[Int(index)].generation &+= 1
        slots[Int(index)].isLive = true
        pointer(index).initialize(to: connection)
        count += 1
        return ConnectionID(index: index, generation: slots[Int(index)].generation)
    }

    /// The connection, also one that is doomed; `nil` if it was removed. Valid until it is removed.
    subscript(id: ConnectionID) -> UnsafeMutablePointer<PeerConnection>? {
        guard id.index < slots.count, slots[Int(id.index)].isLive,
            slots[Int(id.index)].generation == id.generation
        else {
            return nil
        }
        return pointer(id.index)
    }

    mutating func remove(_ id: ConnectionID) {
        guard let connection = self[id] else {
            return
        }
        connection.deinitialize(count: 1)
        slots[Int(id.index)].isLive = false
        count -= 1
        if !slots[Int(id.index)].isKnown {
            freeIndices.append(id.index)
        }
    }

    /// Records that the owner of the transport knows a connection: its index is not used again
    /// before ``release(_:)``.
    mutating func setKnown(_ id: ConnectionID) {
        slots[Int(id.index)].isKnown = true
    }

    mutating func release(_ id: ConnectionID) {
        let index = Int(id.index)
        guard index < slots.count, slots[index].generation == id.generation, slots[index].isKnown
        else {
            return
        }
        slots[index].isKnown = false
        if !slots[index].isLive {
            freeIndices.append(id.index)
        }
    }

    /// All connections.
    var ids: [ConnectionID] {
        slots.indices.filter { slots[$0].isLive }.map {
            ConnectionID(index: UInt32($0), generation: slots[$0].generation)
        }
    }

    private func pointer(_ index: UInt32) -> UnsafeMutablePointer<PeerConnection> {
        chunks[Int(index >> Self.chunkShift)] + Int(index) % Self.chunkSize
    }
}
