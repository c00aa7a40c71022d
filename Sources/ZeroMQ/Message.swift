// SPDX-License-Identifier: Apache-2.0

package import CZeroMQ

/// A frame of libzmq, in a slot that never moves.
///
/// libzmq stores up to 33 bytes inside `zmq_msg_t` itself, so the struct must not move with Swift values.
/// The slot is on the heap, allocated once, and reused for any number of frames. A message belongs to
/// the thread of its sockets.
package struct Message: ~Copyable {
    @usableFromInline
    package let slot: UnsafeMutablePointer<zmq_msg_t>

    /// Creates an empty message.
    package init() {
        slot = .allocate(capacity: 1)
        zmq_msg_init(slot)
    }

    /// Creates a message of `byteCount` uninitialized bytes.
    package init(byteCount: Int) {
        slot = .allocate(capacity: 1)
        Self.initialize(slot, byteCount: byteCount)
    }

    deinit {
        zmq_msg_close(slot)
        slot.deallocate()
    }

    /// The length of the frame, in bytes.
    @inlinable package var byteCount: Int { zmq_msg_size(slot) }

    /// The bytes; valid until the message is next received into, reset, sent, adopted or destroyed.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(Self.bytes(in: slot))
    }

    /// The same bytes, for writing. Write only to messages that this process created, because a received
    /// frame may be shared.
    @inlinable package var mutableBytes: UnsafeMutableRawBufferPointer {
        mutating get { Self.bytes(in: slot) }
    }

    /// Replaces the content by `byteCount` uninitialized bytes.
    @inlinable package mutating func reset(byteCount: Int) {
        zmq_msg_close(slot)
        Self.initialize(slot, byteCount: byteCount)
    }

    /// Whether further frames of the same message follow.
    @inlinable package var hasMore: Bool { zmq_msg_more(slot) != 0 }

    /// Returns a property of the connection that the frame was received on; `nil` for none. On ipc,
    /// `Peer-Address` ends in `:uid:gid:pid` from the kernel; it may be missing on a ROUTER's identity
    /// frame, and is present on the next frame. `User-Id` and properties that peers set are untrusted.
    package func property(_ name: String) -> String? {
        zmq_msg_gets(slot, name).map { String(cString: $0) }
    }

    /// The descriptor of the connection that the frame was received on; `nil` for none. It may be closed
    /// and reused at any time, so verify its owner before you use it.
    package var sourceFileDescriptor: Int32? {
        let descriptor = zmq_msg_get(slot, ZMQ_SRCFD)
        return descriptor >= 0 ? descriptor : nil
    }
}

@available(*, unavailable)
extension Message: Sendable {}

// MARK: - Slots of messages and of the store

extension Message {
    /// Returns the bytes of an initialized slot.
    @inlinable
    package static func bytes(
        in slot: UnsafeMutablePointer<zmq_msg_t>
    ) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: zmq_msg_data(slot), count: zmq_msg_size(slot))
    }

    /// Initializes a slot with `byteCount` uninitialized bytes. Traps only if memory is exhausted.
    @inlinable
    package static func initialize(_ slot: UnsafeMutablePointer<zmq_msg_t>, byteCount: Int) {
        let result = zmq_msg_init_size(slot, byteCount)
        precondition(result == 0, "out of memory for a message")
    }
}
