// SPDX-License-Identifier: Apache-2.0

/// How a durable event ended. It is told until its receiver says that it has it: to the session
/// that raised it, or to a later one at the same place.
package struct Settled: WireMessage {
    package static let command = Command.settled

    /// What an ``Ended`` says, but for the number of the node that handled it.
    package var ended: Ended
    /// The event's ID, where another session raised it.
    package var id: EventID?
    package var name: EventName
    /// Where it was raised.
    package var origin: NodePath
    /// The node that handled it.
    package var handler: NodePath?

    package init(
        ended: Ended, id: EventID? = nil, name: EventName, origin: NodePath,
        handler: NodePath? = nil
    ) {
        self.ended = ended
        self.id = id
        self.name = name
        self.origin = origin
        self.handler = handler
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        ended = try Ended(header: header, fields: fields)
        var fields = fields
        var name: EventName?
        var origin: NodePath?
        while let field = try fields.next() {
            switch field.tag {
            case .name: name = try EventName(decoding: field.text())
            case .origin: origin = try NodePath(decoding: field.text())
            case .handler: handler = try NodePath(decoding: field.text())
            case .eventID: id = try EventID(field)
            default: break
            }
        }
        guard let name, let origin else {
            throw WireError("the outcome of a durable event lacks its name or its origin")
        }
        self.name = name
        self.origin = origin
    }

    package var header: Header {
        var header = ended.header
        header.command = Self.command
        header.node = Header.noNode
        return header
    }

    package func write(to fields: inout FieldWriter) {
        ended.write(to: &fields)
        fields.append(.name, name.description)
        fields.append(.origin, origin.description)
        if let handler {
            fields.append(.handler, handler.description)
        }
        id?.write(as: .eventID, to: &fields)
    }
}
