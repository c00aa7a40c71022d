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
    /// The event or publication that brought this one about.
    package var cause: EventID?
    /// For how long an unhandled event is held, in milliseconds.
    package var holdMilliseconds: UInt32?
    /// What a reported error says of itself to people: its title makes it alertable.
    package var message: String?
    package var title: String?
    /// The undelivered event that is to be raised again, in place of a new one.
    package var retried: EventID?
    /// What it was raised within. What is no such thing is as good as nothing.
    package var traceParent: TraceParent?

    package init(
        name: EventName? = nil, origin: NodePath? = nil, attributes: [Attribute] = [],
        contentType: String? = nil, cause: EventID? = nil, holdMilliseconds: UInt32? = nil,
        message: String? = nil, title: String? = nil, retried: EventID? = nil,
        traceParent: TraceParent? = nil
    ) {
        self.name = name
        self.origin = origin
        self.attributes = attributes
        self.contentType = contentType
        self.cause = cause
        self.holdMilliseconds = holdMilliseconds
        self.message = message
        self.title = title
        self.retried = retried
        self.traceParent = traceParent
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
            case .cause: cause = try EventID(field)
            case .hold: holdMilliseconds = try field.integer()
            case .errorMessage: message = try field.text()
            case .errorTitle: title = try field.text()
            case .eventID: retried = try EventID(field)
            case .traceParent: traceParent = TraceParent(try field.text())
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
        cause?.write(as: .cause, to: &fields)
        if let holdMilliseconds {
            fields.append(.hold, holdMilliseconds)
        }
        if let message {
            fields.append(.errorMessage, message)
        }
        if let title {
            fields.append(.errorTitle, title)
        }
        retried?.write(as: .eventID, to: &fields)
        if let traceParent {
            fields.append(.traceParent, traceParent.description)
        }
    }
}
