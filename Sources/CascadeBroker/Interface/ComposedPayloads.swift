// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The numbers of the messages that the broker makes itself, used again after they are freed.
struct ComposedPayloads: Sendable {
    /// Tells them from the numbers that the shell gives.
    private static let mark: UInt32 = 1 << 31

    private var last: UInt32 = 0
    private var free: [UInt32] = []

    /// A message of so many bytes behind its header.
    mutating func next(byteCount: Int) -> PayloadID {
        let byteCount = UInt32(clamping: Header.byteCount + byteCount)
        if let number = free.popLast() {
            return PayloadID(number, byteCount: byteCount)
        }
        defer { last += 1 }
        return PayloadID(Self.mark | last, byteCount: byteCount)
    }

    /// The payload is no longer needed; does nothing to those of the shell.
    mutating func release(_ payload: PayloadID) {
        if payload.isComposed {
            free.append(payload.rawValue)
        }
    }
}

extension PayloadID {
    /// Whether the broker chose the number, by `Effect.compose`.
    package var isComposed: Bool {
        rawValue >> 31 == 1
    }
}
