// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// An event that nobody handled, or that is held, as an inspector is shown it.
struct UndeliveredEntry: Sendable {
    var id: EventID
    var name: EventName
    var lane: Lane
    var origin: NodePath
    /// The payload as it is written; `nil` if it is not kept.
    var payloadText: String?
    var when: Instant
    var reason: String
    /// Until when it waits for a responder; `nil` if it does not.
    var heldUntil: Instant?

    func json(at clock: WallClock) -> JSONValue {
        .members([
            "id": .text(id),
            "name": .text(name),
            "lane": .string(lane.name),
            "origin": .text(origin),
            "payload": payloadText.map { text in
                // What is no JSON is shown as the text that it is.
                (try? JSONParser.parse(text)) ?? .string(text)
            },
            "when": .text(clock.time(when)),
            "reason": .string(reason),
            "heldUntil": heldUntil.map { .text(clock.time($0)) },
        ])
    }
}

extension [UndeliveredEntry] {
    func document(at clock: WallClock) -> JSONValue {
        .document("undelivered", ["undelivered": .array(map { $0.json(at: clock) })])
    }
}
