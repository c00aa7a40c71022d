// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The messages that the broker wants kept, until it releases them.
struct PayloadTable {
    private var messages: [PayloadID: [UInt8]] = [:]
    private var last: UInt32 = 0

    mutating func insert(_ message: [UInt8]) -> PayloadID {
        last &+= 1
        messages[PayloadID(last)] = message
        return PayloadID(last)
    }

    mutating func stamp(_ header: Header, on payload: PayloadID) {
        messages[payload]?.replaceSubrange(..<Header.byteCount, with: header.encoded())
    }

    func message(_ payload: PayloadID) -> [UInt8] {
        messages[payload] ?? []
    }

    mutating func release(_ payload: PayloadID) {
        messages[payload] = nil
    }
}
