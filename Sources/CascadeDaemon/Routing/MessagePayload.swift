// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// A message as libzmq has received it, in memory that libzmq holds.
///
/// It is received into again unless the broker keeps it, so what is only read allocates nothing.
final class MessagePayload: Payload, @unchecked Sendable {
    var message = Message()

    init() {
        super.init(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Another message has been received, or moved in.
    func refill() {
        relocate(to: message.bytes)
        mayBeQueued = false
    }

    /// Writes the header over the message's own: over a copy where an earlier send may still be
    /// queued under another one.
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

    /// A frame of the store with the message under this header: with its memory if this is the last
    /// send, sharing it if not.
    func frame(_ header: Header, isLast: Bool, in store: inout MessageStore) -> UInt32 {
        write(header)
        guard isLast else {
            mayBeQueued = true
            return store.share(&message)
        }
        let slot = store.adopt(&message)
        refill()
        return slot
    }
}
