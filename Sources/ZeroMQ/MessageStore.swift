// SPDX-License-Identifier: Apache-2.0

package import CZeroMQ
import Synchronization

/// A store of frames, addressed by slot number.
///
/// Slots are in chunks that never move, because libzmq stores small frames inside `zmq_msg_t`. Every slot
/// is always an initialized message, empty while it is free. The store belongs to the thread of the
/// sockets of its frames.
package struct MessageStore: ~Copyable {
    /// The number of slots in use.
    package private(set) var count = 0

    @usableFromInline static let chunkShift: UInt32 = 8
    @usableFromInline static let chunkSize: UInt32 = 1 << chunkShift

    @usableFromInline
    var chunks: [UnsafeMutablePointer<zmq_msg_t>] = []
    /// The free slots. The slot that was freed last is used first, while it is in the cache.
    private var freeSlots: [UInt32] = []
    private var isLive: [Bool] = []
    /// The indices of `chunks` whose memory was freed. `grow()` uses them again.
    private var emptyChunks: Set<Int> = []

    package init() {}

    deinit {
        for (index, chunk) in chunks.enumerated() where !emptyChunks.contains(index) {
            Self.free(chunk)
        }
    }

    // MARK: - Storing frames

    /// Moves the frame out of a message into a slot, and returns the slot. Only the bytes of small frames
    /// are copied. The message is empty afterwards.
    package mutating func adopt(_ message: inout Message) -> UInt32 {
        let slot = acquireSlot()
        let result = zmq_msg_move(self[slot], message.slot)
        precondition(result == 0, "a message to adopt must be initialized")
        return slot
    }

    /// Creates a frame of `byteCount` uninitialized bytes, and returns its slot.
    package mutating func allocate(byteCount: Int) -> UInt32 {
        let slot = acquireSlot()
        Message.initialize(self[slot], byteCount: byteCount)
        return slot
    }

    /// Like ``allocate(byteCount:)``; `counter` counts the bytes until libzmq frees them.
    package mutating func allocate(byteCount: Int, countedBy counter: ByteCounter) -> UInt32 {
        let slot = acquireSlot()
        Message.initialize(self[slot], byteCount: byteCount, countedBy: counter)
        return slot
    }

    /// Moves the frame into a message, and frees the slot.
    package mutating func move(_ slot: UInt32, to message: inout Message) {
        let result = zmq_msg_move(message.slot, self[slot])
        precondition(result == 0, "a message to move to must be initialized")
        markFree(slot)
    }

    /// Returns a new slot with the same frame as the message. libzmq counts the references; only the bytes
    /// of small frames are copied.
    package mutating func share(_ message: inout Message) -> UInt32 {
        let slot = acquireSlot()
        let result = zmq_msg_copy(self[slot], message.slot)
        precondition(result == 0, "a message to share must be initialized")
        return slot
    }

    /// Returns the bytes of a slot, valid until it is released, moved or sent. Write only to frames that
    /// this store allocated.
    @inlinable
    package func bytes(_ slot: UInt32) -> UnsafeMutableRawBufferPointer {
        Message.bytes(in: self[slot])
    }

    /// Drops the frame and frees the slot.
    package mutating func release(_ slot: UInt32) {
        markFree(slot)
        zmq_msg_close(self[slot])
        zmq_msg_init(self[slot])
    }

    // MARK: - Sending

    /// Sends the frame without a copy, and frees the slot if the result is `.sent`.
    package mutating func sendMoving(
        _ slot: UInt32, through socket: borrowing Socket, more: Bool = false
    ) throws(ZeroMQError) -> Socket.SendResult {
        let result = try socket.send(slot: self[slot], more: more)
        if result == .sent { markFree(slot) }
        return result
    }

    // MARK: - Slots

    @usableFromInline
    subscript(slot: UInt32) -> UnsafeMutablePointer<zmq_msg_t> {
        @inlinable get {
            chunks[Int(slot >> Self.chunkShift)] + Int(slot & (Self.chunkSize - 1))
        }
    }

    private mutating func acquireSlot() -> UInt32 {
        if freeSlots.isEmpty { grow() }
        let slot = freeSlots.removeLast()
        isLive[Int(slot)] = true
        count += 1
        return slot
    }

    private mutating func markFree(_ slot: UInt32) {
        precondition(isLive[Int(slot)], "message slot \(slot) was already free")
        isLive[Int(slot)] = false
        freeSlots.append(slot)
        count -= 1
    }

    private mutating func grow() {
        let chunk = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: Int(Self.chunkSize))
        for index in 0..<Int(Self.chunkSize) { zmq_msg_init(chunk + index) }
        if let index = emptyChunks.popFirst() {
            chunks[index] = chunk
            freeSlots.append(contentsOf: Self.slots(ofChunk: index).reversed())
            return
        }
        chunks.append(chunk)
        isLive.append(contentsOf: repeatElement(false, count: Int(Self.chunkSize)))
        freeSlots.append(contentsOf: Self.slots(ofChunk: chunks.count - 1).reversed())
    }

    // MARK: - Freeing memory

    /// The number of slots with allocated memory.
    package var capacity: Int {
        (chunks.count - emptyChunks.count) << Self.chunkShift
    }

    /// Frees the memory of chunks without a used slot. Linear in the number of all slots, so call it when
    /// the thread is idle after a burst.
    package mutating func trim() {
        for index in chunks.indices where !emptyChunks.contains(index) {
            if !Self.slots(ofChunk: index).contains(where: { isLive[Int($0)] }) {
                Self.free(chunks[index])
                emptyChunks.insert(index)
            }
        }
        while let last = chunks.indices.last, emptyChunks.remove(last) != nil {
            chunks.removeLast()
            isLive.removeLast(Int(Self.chunkSize))
        }
        freeSlots = chunks.indices.filter { !emptyChunks.contains($0) }.flatMap { index in
            Self.slots(ofChunk: index).filter { !isLive[Int($0)] }
        }
        // A copy has no spare capacity.
        isLive = Array(isLive[...])
    }

    private static func slots(ofChunk index: Int) -> Range<UInt32> {
        let first = UInt32(index) << chunkShift
        return first..<first + chunkSize
    }

    private static func free(_ chunk: UnsafeMutablePointer<zmq_msg_t>) {
        for index in 0..<Int(chunkSize) { zmq_msg_close(chunk + index) }
        chunk.deallocate()
    }
}

@available(*, unavailable)
extension MessageStore: Sendable {}

/// A number of bytes that several threads change. It may be part of a total: the bytes of a peer are part
/// of the bytes of its user, and those of the daemon's.
package final class ByteCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let total: ByteCounter?

    /// Creates a counter of 0 bytes.
    ///
    /// - Parameter total: The counter that includes the bytes of this one.
    package init(in total: ByteCounter? = nil) {
        self.total = total
    }

    /// The number of bytes. Other threads may change it at any time.
    package var byteCount: Int {
        count.load(ordering: .relaxed)
    }

    /// Adds to this number and to its totals. `byteCount` may be negative.
    package func add(_ byteCount: Int) {
        count.wrappingAdd(byteCount, ordering: .relaxed)
        total?.add(byteCount)
    }
}

// MARK: - Counted frames

/// The header before the bytes of a frame that a ``ByteCounter`` counts as long as the frame exists.
private struct CountedFrame {
    let counter: Unmanaged<ByteCounter>
    let byteCount: Int

    /// The size of the header in bytes, with which the frame keeps the alignment of an allocation.
    static let headerByteCount = 16

    /// Frees the frame at `block`. libzmq calls it once, on any of its threads, after the last reference
    /// was released: the frame was written to the connection, or dropped with it.
    static func free(_ block: UnsafeMutableRawPointer) {
        let frame = block.load(as: CountedFrame.self)
        frame.counter.takeUnretainedValue().add(-frame.byteCount)
        frame.counter.release()
        block.deallocate()
    }
}

extension Message {
    /// Like ``initialize(_:byteCount:)``, for a frame that `counter` counts until libzmq frees it.
    static func initialize(
        _ slot: UnsafeMutablePointer<zmq_msg_t>, byteCount: Int, countedBy counter: ByteCounter
    ) {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: CountedFrame.headerByteCount + byteCount,
            alignment: CountedFrame.headerByteCount)
        block.initializeMemory(
            as: CountedFrame.self,
            to: CountedFrame(counter: .passRetained(counter), byteCount: byteCount))
        counter.add(byteCount)
        let result = zmq_msg_init_data(
            slot, block + CountedFrame.headerByteCount, byteCount,
            { _, block in
                if let block {
                    CountedFrame.free(block)
                }
            }, block)
        precondition(result == 0, "out of memory for a message")
    }
}
