// SPDX-License-Identifier: Apache-2.0

/// The fields of a `trigger` or `publish`.
///
/// The header contains the numbers of names and nodes. A name or path without a number is a field.
package struct RaisedFields: Equatable, Sendable {
    /// The event's name, if the header has no number for it.
    package var name: EventName?
    /// The path of the origin, if the header has no node. A peer outside the tree raises a message as
    /// a child of this path would.
    package var origin: NodePath?
    package var attributes: [Attribute]
    /// The media type of the payload; `nil` for JSON.
    package var contentType: String?
    /// The event or publication that caused this one.
    package var cause: EventID?
    /// The time for which an unhandled event is held, in milliseconds.
    package var holdMilliseconds: UInt32?
    /// The message of a reported error, for people.
    package var message: String?
    /// The title of a reported error, shown above its message. It makes the error alertable.
    package var title: String?
    /// The undelivered event that this message triggers again, in place of a new one.
    package var retried: EventID?
    /// The trace context of the origin. An invalid field is ignored.
    package var traceParent: TraceParent?
    /// The ID of the message on the bus where it was raised, if its node raises it for another bus.
    package var raisedAs: RaisedAs?

    package init(
        name: EventName? = nil, origin: NodePath? = nil, attributes: [Attribute] = [],
        contentType: String? = nil, cause: EventID? = nil, holdMilliseconds: UInt32? = nil,
        message: String? = nil, title: String? = nil, retried: EventID? = nil,
        traceParent: TraceParent? = nil, raisedAs: RaisedAs? = nil
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
        self.raisedAs = raisedAs
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
            case .raisedAs: raisedAs = try RaisedAs(field)
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
        raisedAs?.write(to: &fields)
    }
}

/// The ID of an event or publication of another bus, under which a node raises it on this one.
package struct RaisedAs: Hashable, Sendable {
    package var id: EventID
    /// Whether the node may have raised the message on this bus before.
    package var isRepeated: Bool

    package init(_ id: EventID, isRepeated: Bool = false) {
        self.id = id
        self.isRepeated = isRepeated
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        id = try EventID(
            session: SessionID(high: parts.integer(), low: parts.integer()),
            sequence: parts.integer())
        isRepeated = parts.isAtEnd ? false : try parts.integer(UInt8.self) != 0
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.raisedAs) { parts in
            parts.append(id.session.high)
            parts.append(id.session.low)
            parts.append(id.sequence)
            if isRepeated {
                parts.append(UInt8(1))
            }
        }
    }
}

// MARK: - Attributes

/// A string that travels beside the payload. It can be read without decoding the payload.
package struct Attribute: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        key = try parts.text()
        value = try parts.text()
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.attribute) { parts in
            parts.append(key)
            parts.append(value)
        }
    }
}

// MARK: - Destinations

/// The selection of recipients among the subscribers at and below a publisher.
///
/// A subscriber's level is the number of subscribers of the same name between it and the publisher.
public enum PublishingDestination: UInt32, Sendable, CaseIterable {
    /// The subscriber at the greatest level; among several, the one activated last.
    case last = 1
    /// All subscribers at the greatest level.
    case lastLevel = 2
    /// All subscribers at level 0.
    case firstLevel = 3
    /// All subscribers.
    case all = 4

    /// The destination as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
