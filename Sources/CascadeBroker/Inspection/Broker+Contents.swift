// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What was raised, as monitors that want payloads are told of it.
extension Broker {
    /// What is longer is left out of what monitors and inspectors are told.
    static let contentByteCountMax = 65_536

    static func content(of payload: Payload) -> [JSONValue.Member] {
        // Fields that came in were read once before; those of a retry are the broker's own.
        let raised = try? Raised(fields: FieldReader(payload.fields))
        let attributes = (raised?.attributes ?? []).map { attribute in
            JSONValue.Member(key: attribute.key, value: .string(attribute.value))
        }
        var members = JSONValue.memberList([
            "attributes": attributes.isEmpty ? nil : .object(attributes),
            "title": raised?.title.map { .string($0) },
            "message": raised?.message.map { .string($0) },
        ])
        let body = payload.body
        if body.count <= contentByteCountMax {
            members += JSONValue.payload(Array(body)[...], raised?.contentType)
        } else {
            members.append(JSONValue.Member(key: "leftOutBytes", value: .integer(body.count)))
        }
        return members
    }
}
