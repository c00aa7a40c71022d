// SPDX-License-Identifier: Apache-2.0

/// An event that is not raised: who would be asked about it?
package struct Route: Equatable, Sendable {
    package var lane: Lane
    package var name: EventName
    /// Where it would start: as a child of this path would raise it.
    package var path: NodePath
    package var attributes: [Attribute]
    /// What predicates would look into; empty for none.
    package var payload: String

    package init(
        _ lane: Lane, _ name: EventName, from path: NodePath, attributes: [Attribute] = [],
        payload: String = ""
    ) {
        self.lane = lane
        self.name = name
        self.path = path
        self.attributes = attributes
        self.payload = payload
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        var name: EventName?
        var path = NodePath.root
        var lane = Lane.event
        var attributes: [Attribute] = []
        var payload = ""
        while let field = try fields.next() {
            switch field.tag {
            case .name: name = try EventName(decoding: field.text())
            case .path: path = try NodePath(decoding: field.text())
            case .lane: lane = try Lane(decoding: field.integer())
            case .attribute: attributes.append(try Attribute(field))
            case .payload: payload = try field.text()
            default: break
            }
        }
        guard let name else {
            throw WireError("a query for a route names no name")
        }
        self.init(lane, name, from: path, attributes: attributes, payload: payload)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.name, name.description)
        fields.append(.path, path.description)
        fields.append(.lane, lane.rawValue)
        for attribute in attributes {
            attribute.write(to: &fields)
        }
        if !payload.isEmpty {
            fields.append(.payload, payload)
        }
    }
}
