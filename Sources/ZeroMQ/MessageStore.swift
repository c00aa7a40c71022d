// SPDX-License-Identifier: Apache-2.0

package import CZeroMQ

/// Frames kept for later, addressed by slot number.
///
/// Slots live in chunks that are never moved or given back, because libzmq keeps small frames
/// inside `zmq_msg_t`. Every slot is an initialized message at all times, empty while it is free.
/// Belongs to the thread of the sockets its frames pass through.
package struct MessageStore: ~Copyable {
    /// Live slots.
    package private(set) var count = 0

    @usableFromInline static let chunkShift: UInt32 = 8
    @usableFromInline static let chunkSize: UInt32 = 1 << chunkShift

    @usableFromInline
    var chunks: [UnsafeMutablePointer<zmq_msg_t>] = []
    /// Free slots, last freed first: those are warm.
    private var freeSlots: [UInt32] = []
    private var isLive: [Bool] = []
    /// Places of `chunks` whose memory was given back; `grow()` uses them again.
    private var emptyPlaces: Set<Int> = []
    package init() {}

    deinit {
        for (place, chunk) in chunks.enumerated() where !emptyPlaces.contains(place) {
            Self.free(chunk)
        }
    }

    // MARK: - Keeping

    /// Takes the frame out of the message, which is empty then. No byte is copied, save those of a
    /// small frame.
    package mutating func adopt(_ message: inout Message) -> UInt32 {
        let slot = takeFreeSlot()
        let result = zmq_msg_move(self[slot], message.slot)
        precondition(result == 0, "adopting a message that isn't one")
        return slot
    }

    /// A new frame of `byteCount` bytes that hold nothing in particular until they are written.
    package mutating func allocate(byteCount: Int) -> UInt32 {
        let slot = takeFreeSlot()
        Message.initialize(self[slot], byteCount: byteCount)
        return slot
    }

    /// As ``allocate(byteCount:)``; `counter` counts the bytes until libzmq is done with them.
    package mutating func allocate(byteCount: Int, countedBy counter: ByteCounter) -> UInt32 {
        let slot = takeFreeSlot()
        Message.initialize(self[slot], byteCount: byteCount, countedBy: counter)
        return slot
    }

    /// Gives the frame back to a message, and frees the slot.
    package mutating func move(_ slot: UInt32, to message: inout Message) {
        let result = zmq_msg_move(message.slot, self[slot])
        precondition(result == 0, "moving a message that isn't one")
        putBack(slot)
    }

    /// A slot with the same frame as the message: libzmq counts the references, nothing but a small
    /// frame's bytes is copied.
    package mutating func share(_ message: inout Message) -> UInt32 {
        let slot = takeFreeSlot()
        let result = zmq_msg_copy(self[slot], message.slot)
        precondition(result == 0, "sharing a message that isn't one")
        return slot
    }

    /// Valid until the slot is released, moved or sent moving. Write only to what was allocated here.
    @inlinable
    package func bytes(_ slot: UInt32) -> UnsafeMutableRawBufferPointer {
        Message.bytes(in: self[slot])
    }

    package mutating func release(_ slot: UInt32) {
        putBack(slot)
        zmq_msg_close(self[slot])
        zmq_msg_init(self[slot])
    }

    // MARK: - Sending

    /// Sends the frame itself and frees the slot; keeps both unless the result is `.sent`.
    package mutating func sendMoving(
        _ slot: UInt32, through socket: borrowing Socket, more: Bool = false
    ) throws(ZeroMQError) -> Socket.SendResult {
        let result = try socket.send(slot: self[slot], more: more)
        if result == .sent { putBack(slot) }
        return result
    }

    // MARK: - Slots

    @usableFromInline
    subscript(slot: UInt32) -> UnsafeMutablePointer<zmq_msg_t> {
        @inlinable get {
            chunks[Int(slot >> Self.chunkShift)] + Int(slot & (Self.chunkSize - 1))
        }
    }

    private mutating func takeFreeSlot() -> UInt32 {
        if freeSlots.isEmpty { grow() }
        let slot = freeSlots.removeLast()
        isLive[Int(slot)] = true
        count += 1
        return slot
    }

    private mutating func putBack(_ slot: UInt32) {
        precondition(isLive[Int(slot)], "message slot \(slot) was already free")
        isLive[Int(slot)] = false
        freeSlots.append(slot)
        count -= 1
    }

    private mutating func grow() {
        let chunk = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: Int(Self.chunkSize))
        for index in 0..<Int(Self.chunkSize) { zmq_msg_init(chunk + index) }
        if let place = emptyPlaces.popFirst() {
            chunks[place] = chunk
            freeSlots.append(contentsOf: Self.slots(ofChunk: place).reversed())
            return
        }
        chunks.append(chunk)
        isLive.append(contentsOf: repeatElement(false, count: Int(Self.chunkSize)))
        freeSlots.append(contentsOf: Self.slots(ofChunk: chunks.count - 1).reversed())
    }

    // MARK: - Giving memory back

    /// Slots that there is memory for.
    package var capacity: Int {
        (chunks.count - emptyPlaces.count) << Self.chunkShift
    }

    /// Frees the memory of slots that are not in use, as far as whole chunks of them are. Takes
    /// time for every slot there ever was: for quiet moments after busy ones.
    package mutating func trim() {
        for place in chunks.indices where !emptyPlaces.contains(place) {
            if !Self.slots(ofChunk: place).contains(where: { isLive[Int($0)] }) {
                Self.free(chunks[place])
                emptyPlaces.insert(place)
            }
        }
        while let last = chunks.indices.last, emptyPlaces.remove(last) != nil {
            chunks.removeLast()
            isLive.removeLast(Int(Self.chunkSize))
        }
        freeSlots = chunks.indices.filter { !emptyPlaces.contains($0) }.flatMap { place in
            Self.slots(ofChunk: place).filter { !isLive[Int($0)] }
        }
        // A copy has room for its elements and no more.
        isLive = Array(isLive[...])
    }

    private static func slots(ofChunk place: Int) -> Range<UInt32> {
        let first = UInt32(place) << chunkShift
        return first..<first + chunkSize
    }

    private static func free(_ chunk: UnsafeMutablePointer<zmq_msg_t>) {
        for index in 0..<Int(chunkSize) { zmq_msg_close(chunk + index) }
        chunk.deallocate()
    }
}

@available(*, unavailable)
extension MessageStore: Sendable {}
