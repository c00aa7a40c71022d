// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
import CascadeSession
import CascadeWire

/// The payloads that a broker has received or sent, and still refers to.
///
/// It also takes the part of the payloads' owner, which decides when a header may overwrite a payload.
package struct PayloadWatch {
    private struct Entry {
        weak var payload: Payload?
        /// The visits that may still be queued for a peer, so that the bytes must not be overwritten.
        var readers: Set<UInt64> = []
        /// The header of the last send.
        var header: Header?
        /// Whether the last send has released the memory.
        var isReleased = false
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The payload of each visit that its peer has not read.
    private var visits: [UInt64: ObjectIdentifier] = [:]
    /// Payloads released since the last call of ``settle()``.
    private var released: [ObjectIdentifier] = []
    /// The number of entries above which those of freed payloads are removed.
    private var entriesMax = 64

    package init() {}

    /// The number of payloads that still exist.
    package var count: Int {
        entries.values.count { $0.payload != nil }
    }

    /// Adds a received payload.
    package mutating func insert(_ payload: Payload) {
        entries[ObjectIdentifier(payload)] = Entry(payload: payload)
    }

    /// Records a send. Returns its fault; `nil` for none.
    package mutating func send(_ sent: Forward) -> String? {
        let (payload, header, isLast) = (sent.payload, sent.header, sent.isLast)
        let key = ObjectIdentifier(payload)
        var entry = entries[key] ?? Entry()
        if entry.payload !== payload {
            // The broker made the payload itself.
            entry = Entry(payload: payload)
        }
        guard !entry.isReleased else {
            return "a message is sent after its last send"
        }
        var fault: String?
        if entry.header != header {
            if payload.mayBeQueued {
                // A copy was sent; the original is not overwritten.
                entry.readers = []
            } else if !entry.readers.isEmpty {
                fault = "a header over a message that may still be queued"
            }
        }
        if header.command == .visit, !isLast {
            entry.readers.insert(header.id)
            visits[header.id] = key
        }
        entry.header = header
        entry.isReleased = isLast
        if isLast {
            payload.markRead()
        } else {
            payload.markQueued()
        }
        entries[key] = entry
        if isLast {
            released.append(key)
        }
        return fault
    }

    /// Records that the peer has answered a delivery, and so has read its message.
    package mutating func observeAnswer(to delivery: UInt64) {
        if let payload = visits.removeValue(forKey: delivery) {
            entries[payload]?.readers.remove(delivery)
        }
    }

    /// Ends the processing of an input, after its effects have been performed and freed. Returns a fault
    /// of the remaining payloads; `nil` for none.
    package mutating func settle() -> String? {
        let isKept = released.contains { key in
            entries[key]?.isReleased == true && entries[key]?.payload != nil
        }
        released = []
        if entries.count > entriesMax {
            entries = entries.filter { $0.value.payload != nil }
            entriesMax = 64 + 2 * entries.count
            visits = visits.filter { entries[$0.value] != nil }
        }
        return isKept ? "the broker still refers to a message after its last send" : nil
    }
}

/// Checks that payloads arrive unchanged: an event has the payload of its trigger or of a replacement,
/// and a reply belongs to its request.
struct PayloadOracle {
    private var payloads: [EventID: Set<[UInt8]>] = [:]

    /// Records a payload with which the event was triggered or replaced.
    mutating func sent(_ event: EventID, _ payload: [UInt8]) {
        payloads[event, default: []].insert(payload)
    }

    /// Returns a finding if the payload of a received event was never sent.
    func arrived(_ visit: Visit) -> Finding? {
        guard visit.lane != .error, let known = payloads[visit.id],
            !known.contains(Array(visit.payload))
        else {
            return nil
        }
        return Finding(
            "payload", "\(visit.node) received a payload that this event never had",
            event: visit.id)
    }

    /// Returns the reply of a responder to a request.
    static func reply(to event: EventID) -> [UInt8] {
        Array("\"\(event)\"".utf8)
    }

    /// Returns a finding if the reply belongs to another request.
    static func replied(_ reply: [UInt8], to event: EventID) -> Finding? {
        reply == Self.reply(to: event)
            ? nil : Finding("payload", "the reply is to another request", event: event)
    }
}
