// SPDX-License-Identifier: Apache-2.0

/// Sets values and offers preferences, all of them or none: in the name of a node, or from outside
/// at any path.
///
/// Keys and preferences to be watched are added to those that the node watches already; rules take
/// the place of the node's own.
package struct SetEnvironment: WireMessage {
    package static let command = Command.set

    package var request: UInt64
    /// One of the session's own nodes, or ``Header/noNode`` for whoever sets from outside.
    package var node: UInt32
    /// Where it is set from outside.
    package var path: NodePath?
    package var assignments: Assignments

    package init(
        request: UInt64, node: UInt32 = Header.noNode, path: NodePath? = nil,
        _ assignments: Assignments
    ) {
        self.request = request
        self.node = node
        self.path = path
        self.assignments = assignments
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, node: header.node, Assignments())
        while let field = try fields.next() {
            if field.tag == .path {
                path = try NodePath(decoding: field.text())
            } else {
                try assignments.read(field)
            }
        }
    }

    package var header: Header {
        Header(.set, node: node, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        if let path {
            fields.append(.path, path.description)
        }
        assignments.write(to: &fields)
    }
}
