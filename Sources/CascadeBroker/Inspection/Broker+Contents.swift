// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The content of messages, for monitors that request payloads.
extension Broker {
    /// Bytes of content shown to monitors and inspectors; longer content is left out.
    static let contentByteCountMax = 65_536

    static func content(of payload: Payload) -> [JSONValue.Member] {
        // Fields that came in were read once before; those of a retry are the broker's own.
        let raised = try? RaisedFields(fields: FieldReader(payload.fields))
        var members = raised?.content ?? []
        let body = payload.body
        if body.count <= contentByteCountMax {
            members += JSONValue.payload(Array(body)[...], raised?.contentType)
        } else {
            members.append(JSONValue.Member(key: "leftOutBytes", value: .integer(body.count)))
        }
        return members
    }
}

extension RaisedFields {
    /// The attributes, and the words of an error, as members of a document.
    var content: [JSONValue.Member] {
        let attributes = attributes.map { attribute in
            JSONValue.Member(key: attribute.key, value: .string(attribute.value))
        }
        return JSONValue.memberList([
            "attributes": attributes.isEmpty ? nil : .object(attributes),
            "title": title.map { .string($0) },
            "message": message.map { .string($0) },
        ])
    }
}
