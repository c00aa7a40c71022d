// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// An undelivered or held event, as shown to an inspector.
struct UndeliveredEntry: Sendable {
    var id: EventID
    var name: EventName
    var lane: Lane
    var origin: NodePath
    /// Empty if it is not kept.
    var payload: [UInt8] = []
    /// The nodes that have changed the payload.
    var transformers: [NodePath] = []
    var when: Instant
    var reason: String
    /// Until when it waits for a responder; `nil` if it does not.
    var heldUntil: Instant?

    /// `nil` if it began at a hidden place. A payload that a hidden node has changed is left out.
    func json(at clock: WallClock, for viewer: inout Viewer) -> JSONValue? {
        guard let origin = viewer.place(origin) else {
            return nil
        }
        let payload = viewer.sees(.places(transformers)) ? payload : []
        let isLeftOut = payload.count > Broker.contentByteCountMax
        let text = isLeftOut ? nil : String(validating: payload, as: UTF8.self)
        return .members([
            "id": .text(id),
            "name": .text(name),
            "lane": .string(lane.name),
            "origin": origin,
            // What is no JSON is shown as the text that it is.
            "payload": payload.isEmpty
                ? nil : text.map { (try? JSONValue(parsing: $0)) ?? .string($0) },
            "leftOutBytes": isLeftOut ? .integer(payload.count) : nil,
            "when": .text(clock.time(when)),
            "reason": .string(reason),
            "heldUntil": heldUntil.map { .text(clock.time($0)) },
        ])
    }
}
