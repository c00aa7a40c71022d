// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The messages that the broker has been handed to keep, and what it may still do with each.
struct PayloadLedger {
    private struct Entry {
        /// Visits that may still be queued for a peer, so that the bytes must not be overwritten.
        var readers: Set<UInt64> = []
        var isStamped = false
    }

    private var entries: [PayloadID: Entry] = [:]
    private var lastPayload: UInt32 = 0

    var isEmpty: Bool {
        entries.isEmpty
    }

    mutating func handIn() -> PayloadID {
        lastPayload += 1
        entries[PayloadID(lastPayload)] = Entry()
        return PayloadID(lastPayload, byteCount: 100)
    }

    /// Each of these returns what is wrong, if something is.
    mutating func compose(_ payload: PayloadID) -> String? {
        entries.updateValue(Entry(), forKey: payload) == nil ? nil : "a message is made twice"
    }

    func examine(_ payload: PayloadID) -> String? {
        entries[payload] == nil ? "a look into a message that was released" : nil
    }

    mutating func stamp(_ payload: PayloadID, _ header: Header) -> String? {
        guard let entry = entries[payload] else {
            return "a header for a message that was released"
        }
        entries[payload]?.isStamped = true
        if header.command == .delivery, entry.isStamped {
            return "a second header for a publication"
        }
        return entry.readers.isEmpty ? nil : "a header over a message that may still be queued"
    }

    mutating func unshare(_ payload: PayloadID) -> String? {
        entries[payload]?.readers = []
        entries[payload]?.isStamped = false
        return entries[payload] == nil ? "a copy of a message that was released" : nil
    }

    mutating func forward(_ payload: PayloadID, _ header: Header, isLast: Bool) -> String? {
        guard let entry = entries[payload] else {
            return "a message is sent after its release"
        }
        if header.command == .visit {
            entries[payload]?.readers.insert(header.id)
        }
        if isLast {
            entries[payload] = nil
        }
        return entry.isStamped ? nil : "a message is sent without a header"
    }

    mutating func release(_ payload: PayloadID) -> String? {
        entries.removeValue(forKey: payload) == nil ? "a message is released twice" : nil
    }

    /// The visit has been read by its peer.
    mutating func answered(_ delivery: UInt64, of payload: PayloadID) {
        entries[payload]?.readers.remove(delivery)
    }
}
