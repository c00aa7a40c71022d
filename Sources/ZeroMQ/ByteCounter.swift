// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Synchronization

/// A number of bytes that several threads change, and that is part of a larger one: a peer's bytes
/// are part of its user's, and these are part of the daemon's.
package final class ByteCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let total: ByteCounter?

    /// A counter of 0 bytes.
    ///
    /// - Parameter total: the counter that includes this one's bytes.
    package init(in total: ByteCounter? = nil) {
        self.total = total
    }

    /// The number of bytes. Other threads may change it at any time.
    package var byteCount: Int {
        count.load(ordering: .relaxed)
    }

    /// Adds to this number and to those that it is part of. `byteCount` may be negative.
    package func add(_ byteCount: Int) {
        count.wrappingAdd(byteCount, ordering: .relaxed)
        total?.add(byteCount)
    }
}

// MARK: - Frames that are counted for as long as they exist

/// The header in front of the bytes of a counted frame.
private struct CountedFrame {
    let counter: Unmanaged<ByteCounter>
    let byteCount: Int

    /// Bytes in front of those of the frame, which keep the alignment of an allocation.
    static let headerByteCount = 16

    /// Frees the frame at `block`. libzmq calls this once, on any of its threads, when the last
    /// reference to the frame is gone: written to the connection, or dropped with it.
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
