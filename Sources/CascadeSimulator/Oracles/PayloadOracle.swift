// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
import CascadeSession
import CascadeWire

/// The payloads that a broker has received or sent, as long as they are referred to.
///
/// It also plays the owner of the memory, which decides when a header may be written over a
/// payload.
package struct PayloadWatch {
    private struct Entry {
        weak var payload: Payload?
        /// Visits that may still be queued for a peer, so that the bytes must not be overwritten.
        var readers: Set<UInt64> = []
        /// The header of the last send.
        var header: Header?
        /// Whether the last send has released the memory.
        var isGone = false
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The payload of each visit that its peer has not read.
    private var visits: [UInt64: ObjectIdentifier] = [:]
    /// Payloads released since the last call of ``settle()``.
    private var gone: [ObjectIdentifier] = []
    /// The number of entries at which those of freed payloads are removed.
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

    /// Records a send. Returns its fault; `nil` if it is correct.
    package mutating func send(_ sent: Forward) -> String? {
        let (payload, header, isLast) = (sent.payload, sent.header, sent.isLast)
        let key = ObjectIdentifier(payload)
        var entry = entries[key] ?? Entry()
        if entry.payload !== payload {
            // The broker made the payload itself.
            entry = Entry(payload: payload)
        }
        guard !entry.isGone else {
            return "a message is sent after its last send"
        }
        var fault: String?
        if entry.header != header {
            if payload.mayBeQueued {
                // A copy was sent, and the original stays.
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
        entry.isGone = isLast
        if isLast {
            payload.markRead()
        } else {
            payload.markQueued()
        }
        entries[key] = entry
        if isLast {
            gone.append(key)
        }
        return fault
    }

    /// The peer has read the visit.
    package mutating func answered(_ delivery: UInt64) {
        if let payload = visits.removeValue(forKey: delivery) {
            entries[payload]?.readers.remove(delivery)
        }
    }

    /// Ends the processing of an input, when its effects are performed and released. Returns a
    /// fault of the remaining payloads; `nil` if there is none.
    package mutating func settle() -> String? {
        let isKept = gone.contains { entries[$0]?.isGone == true && entries[$0]?.payload != nil }
        gone = []
        if entries.count > entriesMax {
            entries = entries.filter { $0.value.payload != nil }
            entriesMax = 64 + 2 * entries.count
            visits = visits.filter { entries[$0.value] != nil }
        }
        return isKept ? "a message is referred to after its last send" : nil
    }
}

/// Payloads arrive unchanged: an event carries the payload of its trigger or of a replacement, and
/// a reply belongs to its request.
struct PayloadOracle {
    private var payloads: [EventID: Set<[UInt8]>] = [:]

    /// The event was triggered or replaced.
    mutating func sent(_ event: EventID, _ payload: [UInt8]) {
        payloads[event, default: []].insert(payload)
    }

    /// A session received the event.
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

    /// The reply of a responder to a request.
    static func reply(to event: EventID) -> [UInt8] {
        Array("\"\(event)\"".utf8)
    }

    static func replied(_ reply: [UInt8], to event: EventID) -> Finding? {
        reply == Self.reply(to: event)
            ? nil : Finding("payload", "the reply is to another request", event: event)
    }
}
