// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Received bytes of one connection that are not consumed, in memory of their own: the beginning of a
/// message, or messages that are processed later. Without such bytes it has no memory.
struct HeldBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var start = 0
    private var end = 0

    /// The least memory, so that a slow peer does not cause an allocation for each byte.
    private static let capacityMin = 1_024

    deinit {
        free(memory)
    }

    var count: Int {
        end - start
    }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.map { $0 + start }, count: count)
    }

    /// The free memory behind the bytes.
    var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory.map { $0 + end }, count: capacity - end)
    }

    /// Records that bytes were written to the room.
    mutating func extend(by count: Int) {
        precondition(count <= capacity - end, "more bytes were written than there was room for")
        end += count
    }

    mutating func removeFirst(_ count: Int) {
        precondition(count <= self.count, "more bytes are removed than there are")
        start += count
        if start == end {
            removeAll()
        }
    }

    mutating func removeAll() {
        free(memory)
        memory = nil
        capacity = 0
        start = 0
        end = 0
    }

    /// Gives away the memory, which the caller frees.
    mutating func takeMemory() -> UnsafeMutableRawPointer? {
        let taken = memory
        memory = nil
        removeAll()
        return taken
    }

    /// Replaces the bytes by a copy.
    mutating func replace(with bytes: UnsafeRawBufferPointer) {
        removeAll()
        guard let source = bytes.baseAddress, !bytes.isEmpty else {
            return
        }
        allocate(max(bytes.count, Self.capacityMin))
        memory?.copyMemory(from: source, byteCount: bytes.count)
        end = bytes.count
    }

    /// Makes room for more of an unfinished message of `byteCountNeeded` bytes. The memory at most
    /// doubles: it follows the bytes that have arrived, and not those that were announced.
    mutating func makeRoom(byteCountNeeded: Int) {
        guard end == capacity || start > 0 else {
            return
        }
        let held = count
        let newCapacity = min(byteCountNeeded, max(Self.capacityMin, 2 * held))
        guard newCapacity > held else {
            return
        }
        if start > 0, let memory {
            memmove(memory, memory + start, held)
        }
        // Large memory is moved by its pages, not by its bytes.
        allocate(newCapacity)
        end = held
    }

    /// Changes the size of the memory, whose bytes stay.
    private mutating func allocate(_ capacity: Int) {
        guard let memory = realloc(memory, capacity) else {
            preconditionFailure("out of memory for received bytes")
        }
        self.memory = memory
        self.capacity = capacity
        start = 0
        end = 0
    }
}
