// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc
import LocalTransport

/// A received message: first where it was received, then, if anything keeps it, in memory of its
/// own.
///
/// The object is used again for the next message unless the broker keeps it, so that reading
/// allocates nothing.
final class ReceivedPayload: Payload, @unchecked Sendable {
    /// Memory of a short message.
    private var memory: UnsafeMutableRawPointer?
    /// Memory of a long message, which connections can write from.
    private(set) var shared: SharedBytes?

    /// From this size on a message is not copied for each connection that it is sent to.
    static let sharedByteCountMin = 16_384

    init() {
        super.init(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    deinit {
        free(memory)
    }

    /// Whether the bytes stay valid as long as the payload.
    var isKept: Bool {
        memory != nil || shared != nil
    }

    /// Refers to a message where it was received.
    func refer(to message: UnsafeRawBufferPointer) {
        shared = nil
        relocate(to: message)
    }

    /// Moves the message to memory of its own.
    func keep(by transports: inout PeerTransports) {
        guard !isKept, let source = start else {
            return
        }
        guard count < Self.sharedByteCountMin else {
            let bytes = transports.keep(bytes)
            shared = bytes
            relocate(to: bytes.bytes)
            return
        }
        guard let copy = malloc(count) else {
            preconditionFailure("out of memory for a message of \(count) bytes")
        }
        copy.copyMemory(from: source, byteCount: count)
        memory = copy
        relocate(to: UnsafeRawBufferPointer(start: copy, count: count))
    }
}
