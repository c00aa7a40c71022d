// SPDX-License-Identifier: Apache-2.0

/// Raises an event, or publishes one: what stands behind the header of a `trigger` or `publish`.
///
/// Names and paths that have numbers go into the header; those that have none yet go here.
package struct Raised: Equatable, Sendable {
    /// The event's name, where the header has no number for it.
    package var name: EventName?
    /// The origin's path, where the header has no node: an outsider raises it as a child of this
    /// path would.
    package var origin: NodePath?
    package var attributes: [Attribute]
    /// What the payload is; `nil` for JSON.
    package var contentType: String?

    package init(
        name: EventName? = nil, origin: NodePath? = nil, attributes: [Attribute] = [],
        contentType: String? = nil
    ) {
        self.name = name
        self.origin = origin
        self.attributes = attributes
        self.contentType = contentType
    }

    package init(fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init()
        while let field = try fields.next() {
            switch field.tag {
            case .name: name = try EventName(decoding: field.text())
            case .origin: origin = try NodePath(decoding: field.text())
            case .attribute: attributes.append(try Attribute(field))
            case .contentType: contentType = try field.text()
            default: break
            }
        }
    }

    package func write(to fields: inout FieldWriter) {
        if let name {
            fields.append(.name, name.description)
        }
        if let origin {
            fields.append(.origin, origin.description)
        }
        for attribute in attributes {
            attribute.write(to: &fields)
        }
        if let contentType {
            fields.append(.contentType, contentType)
        }
    }
}
