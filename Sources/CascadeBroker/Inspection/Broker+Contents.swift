// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What was raised is told with its payload to monitors that want it. The broker has no payloads,
/// so it asks for them, and such a monitor is told of all that happens meanwhile afterwards.
extension Broker {
    /// What is longer is left out of what monitors and inspectors are told.
    static let contentByteCountMax = 65_536

    mutating func delay(_ happening: Happening, _ payload: PayloadID?) {
        delayedHappenings.append((happening, isAwaited: payload != nil))
        if let payload {
            effects.append(.examine(payload, .happening))
        }
    }

    /// The message of the first that is delayed has been looked into. They are asked for, and
    /// answered, in their order.
    mutating func tellDelayed(fields: [UInt8], payload: [UInt8]) {
        var happening = delayedHappenings.removeFirst().happening
        happening.content = Self.content(fields: fields, payload: payload)
        tellDelayed(happening)
        while let next = delayedHappenings.first, !next.isAwaited {
            delayedHappenings.removeFirst()
            tellDelayed(next.happening)
        }
    }

    private mutating func tellDelayed(_ happening: Happening) {
        for monitor in monitors.indices where monitors[monitor].wantsPayloads {
            inspect(as: monitors[monitor].peer) { broker, viewer in
                if broker.monitors[monitor].filter.admits(happening, to: &viewer) {
                    broker.tell(happening, monitor, &viewer)
                }
            }
        }
    }

    private static func content(fields: [UInt8], payload: [UInt8]) -> [JSONValue.Member] {
        // Fields that came in were read once before; those of a retry are the broker's own.
        let raised = try? Raised(fields: FieldReader(fields))
        let attributes = (raised?.attributes ?? []).map { attribute in
            JSONValue.Member(key: attribute.key, value: .string(attribute.value))
        }
        var members = JSONValue.memberList([
            "attributes": attributes.isEmpty ? nil : .object(attributes),
            "title": raised?.title.map { .string($0) },
            "message": raised?.message.map { .string($0) },
        ])
        if payload.count <= contentByteCountMax {
            members += JSONValue.payload(payload[...], raised?.contentType)
        } else {
            members.append(JSONValue.Member(key: "leftOutBytes", value: .integer(payload.count)))
        }
        return members
    }
}
