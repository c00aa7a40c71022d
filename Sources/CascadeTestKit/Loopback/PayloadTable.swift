// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The messages that the broker keeps until it releases them.
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

    /// Keeps a message that the broker composes. Its header is stamped before it is sent.
    mutating func compose(_ id: PayloadID, fields: [UInt8], payload: [UInt8]) {
        let header = Header(.visit, fieldsLength: UInt32(fields.count))
        messages[id] = header.encoded() + fields + payload
    }

    /// Returns the fields and the payload of a kept message.
    func parts(_ payload: PayloadID) -> (fields: [UInt8], payload: [UInt8]) {
        let message = message(payload)
        guard let header = try? Header(parsing: message) else {
            return ([], [])
        }
        let end = Header.byteCount + Int(header.fieldsLength)
        return (Array(message[Header.byteCount..<end]), Array(message[end...]))
    }

    func message(_ payload: PayloadID) -> [UInt8] {
        messages[payload] ?? []
    }

    mutating func release(_ payload: PayloadID) {
        messages[payload] = nil
    }
}
