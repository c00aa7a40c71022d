// SPDX-License-Identifier: Apache-2.0

/// Defines numbers of names, nodes and sessions, before the first header that uses them. A later
/// definition of a number replaces the earlier one.
package struct Define: WireMessage {
    package static let command = Command.define

    package enum Definition: Equatable, Sendable {
        case name(number: UInt32, EventName)
        /// The activation is present if the node is the peer's own and its activation has changed.
        case node(number: UInt32, NodePath, Activation? = nil)
        case session(number: UInt32, SessionIdentity)
    }

    package var definitions: [Definition]

    package init(_ definitions: [Definition]) {
        self.definitions = definitions
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init([])
        while let field = try fields.next() {
            if field.tag == .definition {
                definitions.append(try Definition(field))
            }
        }
    }

    package func write(to fields: inout FieldWriter) {
        for definition in definitions {
            fields.append(.definition) { parts in definition.write(to: &parts) }
        }
    }
}

extension Define.Definition {
    private enum Kind {
        static let name: UInt8 = 1
        static let node: UInt8 = 2
        static let session: UInt8 = 3
    }

    fileprivate init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        let kind: UInt8 = try parts.integer()
        let number: UInt32 = try parts.integer()
        switch kind {
        case Kind.name: self = .name(number: number, try EventName(decoding: parts.text()))
        case Kind.node:
            let path = try NodePath(decoding: parts.text())
            self = .node(number: number, path, parts.isAtEnd ? nil : try Activation(&parts))
        case Kind.session:
            let id = try SessionID(high: parts.integer(), low: parts.integer())
            let isProven = parts.isAtEnd ? false : try parts.integer(UInt8.self) != 0
            self = .session(number: number, SessionIdentity(id, isProven: isProven))
        default: throw WireError("there is no kind of definition \(kind)")
        }
    }

    fileprivate func write(to parts: inout PartWriter) {
        switch self {
        case .name(let number, let name):
            parts.append(Kind.name)
            parts.append(number)
            parts.append(name.description)
        case .node(let number, let path, let activation):
            parts.append(Kind.node)
            parts.append(number)
            parts.append(path.description)
            activation?.write(to: &parts)
        case .session(let number, let session):
            parts.append(Kind.session)
            parts.append(number)
            parts.append(session.id.high)
            parts.append(session.id.low)
            if session.isProven {
                parts.append(UInt8(1))
            }
        }
    }
}
