// SPDX-License-Identifier: Apache-2.0

/// A message that the shell keeps for the broker until the broker releases it, exactly once.
package struct PayloadID: Sendable {
    package var rawValue: UInt32
    /// Bytes of the message, header and fields included, as they are charged to whoever raised it;
    /// 0 where that is not counted. It is no part of who the message is.
    package var byteCount: UInt32

    package init(_ rawValue: UInt32, byteCount: UInt32 = 0) {
        self.rawValue = rawValue
        self.byteCount = byteCount
    }
}

extension PayloadID: Hashable {
    package static func == (left: PayloadID, right: PayloadID) -> Bool {
        left.rawValue == right.rawValue
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}
