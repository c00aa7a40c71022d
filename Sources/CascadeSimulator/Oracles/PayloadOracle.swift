// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

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
