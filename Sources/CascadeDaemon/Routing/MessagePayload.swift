// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// A received message, in libzmq's memory.
///
/// The object is reused for the next message unless the broker keeps it, so that reading allocates
/// nothing.
final class MessagePayload: Payload, @unchecked Sendable {
    var message = Message()

    init() {
        super.init(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Updates the payload after `message` was received or moved.
    func refill() {
        relocate(to: message.bytes)
        markRead()
    }

    /// Replaces the message's header. Copies the message first if an earlier send with another
    /// header may still be queued.
    private func write(_ header: Header) {
        if mayBeQueued {
            guard !begins(with: header) else {
                return
            }
            message.replaceWithCopy()
            relocate(to: message.bytes)
        }
        header.write(into: message.mutableBytes)
    }

    private func begins(with header: Header) -> Bool {
        (try? Header(parsing: bytes)) == header
    }

    /// Returns a frame of the store with the message under this header. The last send moves the
    /// message's memory into the frame; earlier ones share it.
    func frame(_ header: Header, isLast: Bool, in store: inout MessageStore) -> UInt32 {
        write(header)
        guard isLast else {
            markQueued()
            return store.share(&message)
        }
        let slot = store.adopt(&message)
        refill()
        return slot
    }
}
