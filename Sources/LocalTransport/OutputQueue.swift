// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZMTP

/// Bytes of a message that many connections send, or that are too many to copy.
package final class SharedBytes: Sendable {
    // Never written after the initialization.
    package nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer?

    package init(copying bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else {
            memory = nil
            self.bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let memory = malloc(bytes.count) else {
            preconditionFailure("out of memory for a message")
        }
        memory.copyMemory(from: source, byteCount: bytes.count)
        self.memory = memory
        self.bytes = UnsafeRawBufferPointer(start: memory, count: bytes.count)
    }

    /// Takes over memory of `malloc`, a part of which the bytes are.
    init(_ bytes: UnsafeRawBufferPointer, in memory: UnsafeMutableRawPointer) {
        self.bytes = bytes
        self.memory = memory
    }

    deinit {
        free(memory)
    }

    package var count: Int {
        bytes.count
    }
}

/// Buffers for small frames, which connections with something to write borrow.
struct BufferPool: ~Copyable {
    static let byteCount = 16_384

    /// Free buffers beyond this number are returned to the system.
    private static let freeCountMax = 256

    private var free: [UnsafeMutableRawPointer] = []

    deinit {
        for buffer in free {
            buffer.deallocate()
        }
    }

    mutating func take() -> UnsafeMutableRawPointer {
        free.popLast() ?? .allocate(byteCount: Self.byteCount, alignment: 16)
    }

    mutating func putBack(_ buffer: UnsafeMutableRawPointer) {
        if free.count < Self.freeCountMax {
            free.append(buffer)
        } else {
            buffer.deallocate()
        }
    }
}

/// The unwritten output of one connection. Small frames are copied one after another; large ones
/// are referred to. An empty queue has no memory but a short array.
struct OutputQueue: ~Copyable {
    enum FlushResult {
        case done

        /// The socket takes no more; it will be reported as writable.
        case blocked

        /// The kernel has no memory for the bytes; the socket is writable nevertheless.
        case starved

        /// The peer has closed the connection.
        case broken

        /// The result of a write that has failed; `nil` if it is to be repeated at once.
        init?(failure code: Int32) {
            switch code {
            case EINTR: return nil
            case EAGAIN: self = .blocked
            case ENOBUFS, ENOMEM: self = .starved
            default: self = .broken
            }
        }
    }

    private struct Part {
        var memory: UnsafeMutableRawPointer?
        var capacity = 0
        var shared: SharedBytes?
        var start = 0
        var end: Int

        var bytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                rebasing: (shared?.bytes ?? UnsafeRawBufferPointer(start: memory, count: end))[
                    start..<end])
        }
    }

    /// Parts of a write.
    private static let vectorCountMax = 64
    /// Memory that a blocked connection keeps for few bytes.
    private static let shrunkByteCount = 2_048

    private var parts: [Part] = []
    /// Parts at the beginning that are written.
    private var writtenPartCount = 0

    /// The number of bytes that are not written.
    private(set) var byteCount = 0
    /// The size of the largest frame since the queue was empty.
    private(set) var largestFrameByteCount = 0

    deinit {
        for part in parts[writtenPartCount...] {
            part.memory?.deallocate()
        }
    }

    var isEmpty: Bool {
        byteCount == 0
    }

    // MARK: - Appending

    /// Records the size of a frame whose bytes are appended next.
    mutating func willAppend(frameByteCount: Int) {
        largestFrameByteCount =
            isEmpty ? frameByteCount : max(largestFrameByteCount, frameByteCount)
    }

    /// Appends as many bytes as `fill` writes, which gets memory of this size.
    mutating func append(
        _ byteCount: Int, _ pool: inout BufferPool, _ fill: (UnsafeMutableRawPointer) -> Void
    ) {
        let last = parts.count - 1
        if last < writtenPartCount || parts[last].capacity - parts[last].end < byteCount {
            addPart(byteCount, &pool)
        }
        let index = parts.count - 1
        guard let memory = parts[index].memory else {
            preconditionFailure("the last part has memory of its own")
        }
        fill(memory + parts[index].end)
        parts[index].end += byteCount
        self.byteCount += byteCount
    }

    private mutating func addPart(_ byteCount: Int, _ pool: inout BufferPool) {
        let isSmall = byteCount <= BufferPool.byteCount
        let memory =
            isSmall
            ? pool.take()
            : UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        parts.append(
            Part(memory: memory, capacity: isSmall ? BufferPool.byteCount : byteCount, end: 0))
    }

    /// Appends bytes that are written from where they are.
    mutating func append(_ shared: SharedBytes, from start: Int) {
        guard start < shared.count else {
            return
        }
        parts.append(Part(shared: shared, start: start, end: shared.count))
        byteCount += shared.count - start
    }

    // MARK: - Writing

    /// Writes what the socket takes.
    mutating func flush(to descriptor: Int32, _ pool: inout BufferPool) -> FlushResult {
        while !isEmpty {
            let (written, offered) = write(to: descriptor)
            if written < 0 {
                guard let result = FlushResult(failure: errno) else {
                    continue
                }
                if result != .broken {
                    shrink(&pool)
                }
                return result
            }
            remove(written, &pool)
            if written < offered {
                shrink(&pool)
                return .blocked
            }
        }
        return .done
    }

    private func write(to descriptor: Int32) -> (written: Int, offered: Int) {
        let count = min(Self.vectorCountMax, parts.count - writtenPartCount)
        guard count > 1 else {
            let bytes = parts[writtenPartCount].bytes
            return (
                send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), bytes.count
            )
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { vectors in
            var offered = 0
            for index in 0..<count {
                let bytes = parts[writtenPartCount + index].bytes
                vectors.initializeElement(
                    at: index,
                    to: iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                        iov_len: bytes.count))
                offered += bytes.count
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = count
            return (sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)), offered)
        }
    }

    /// Removes bytes that are written.
    private mutating func remove(_ count: Int, _ pool: inout BufferPool) {
        byteCount -= count
        var rest = count
        while writtenPartCount < parts.count {
            let length = parts[writtenPartCount].end - parts[writtenPartCount].start
            guard rest >= length else {
                parts[writtenPartCount].start += rest
                break
            }
            rest -= length
            release(writtenPartCount, &pool)
            writtenPartCount += 1
        }
        if writtenPartCount == parts.count {
            parts.removeAll(keepingCapacity: parts.count <= 8)
            writtenPartCount = 0
        } else if writtenPartCount > Self.vectorCountMax, writtenPartCount > parts.count / 2 {
            parts.removeFirst(writtenPartCount)
            writtenPartCount = 0
        }
    }

    private mutating func release(_ index: Int, _ pool: inout BufferPool) {
        parts[index].shared = nil
        guard let memory = parts[index].memory else {
            return
        }
        parts[index].memory = nil
        if parts[index].capacity == BufferPool.byteCount {
            pool.putBack(memory)
        } else {
            memory.deallocate()
        }
    }

    /// Moves few bytes that wait for a peer to smaller memory.
    private mutating func shrink(_ pool: inout BufferPool) {
        let index = writtenPartCount
        guard parts.count == index + 1, byteCount <= Self.shrunkByteCount,
            parts[index].capacity > Self.shrunkByteCount
        else {
            return
        }
        let bytes = parts[index].bytes
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.shrunkByteCount, alignment: 16)
        memory.copyMemory(
            from: bytes.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
        release(index, &pool)
        parts = [Part(memory: memory, capacity: Self.shrunkByteCount, end: byteCount)]
        writtenPartCount = 0
    }

    /// Drops what is not written.
    mutating func discard(_ pool: inout BufferPool) {
        for index in writtenPartCount..<parts.count {
            release(index, &pool)
        }
        parts = []
        writtenPartCount = 0
        byteCount = 0
    }
}
