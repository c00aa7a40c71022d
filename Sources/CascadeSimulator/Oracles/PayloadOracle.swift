// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// What arrives is what was sent: an event carries what it was raised with, or what a responder put
/// in its place, and a reply is the one to its request.
struct PayloadOracle {
    private var payloads: [EventID: Set<[UInt8]>] = [:]

    /// The event is raised, or replaced.
    mutating func sent(_ event: EventID, _ payload: [UInt8]) {
        payloads[event, default: []].insert(payload)
    }

    /// The session is handed the event.
    func arrived(_ visit: Visit) -> Finding? {
        guard visit.lane != .error, let known = payloads[visit.id],
            !known.contains(Array(visit.payload))
        else {
            return nil
        }
        return Finding(
            "payload", "\(visit.node) is handed what nobody raised as this event",
            event: visit.id)
    }

    /// What a responder answers to a request.
    static func reply(to event: EventID) -> [UInt8] {
        Array("\"\(event)\"".utf8)
    }

    static func replied(_ reply: [UInt8], to event: EventID) -> Finding? {
        reply == Self.reply(to: event)
            ? nil : Finding("payload", "the reply is to another request", event: event)
    }
}
