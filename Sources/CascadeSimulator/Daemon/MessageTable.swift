// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The messages that the daemon keeps for the broker.
struct MessageTable {
    private var messages: [PayloadID: [UInt8]] = [:]
    private var last: UInt32 = 0

    var count: Int {
        messages.count
    }

    func contains(_ payload: PayloadID) -> Bool {
        messages[payload] != nil
    }

    mutating func insert(_ message: [UInt8]) -> PayloadID {
        last += 1
        messages[PayloadID(last)] = message
        return PayloadID(last, byteCount: UInt32(message.count))
    }

    mutating func stamp(_ header: Header, on payload: PayloadID) {
        messages[payload]?.replaceSubrange(..<Header.byteCount, with: header.encoded())
    }

    mutating func compose(_ payload: PayloadID, fields: [UInt8], payload bytes: [UInt8]) {
        let header = Header(.visit, fieldsLength: UInt32(fields.count))
        messages[payload] = header.encoded() + fields + bytes
    }

    /// What a message has behind its header.
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

    /// Returns whether it was there.
    mutating func release(_ payload: PayloadID) -> Bool {
        messages.removeValue(forKey: payload) != nil
    }
}
