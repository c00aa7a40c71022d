// SPDX-License-Identifier: Apache-2.0

/// Attaches nodes, all or none, and asks for the numbers of names that will be triggered.
package struct Attach: WireMessage {
    package static let command = Command.attach

    /// Comes back in the answer.
    package var request: UInt64
    package var nodes: [NodeDeclaration]
    package var names: [EventName]

    package init(request: UInt64, nodes: [NodeDeclaration], names: [EventName] = []) {
        self.request = request
        self.nodes = nodes
        self.names = names
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, nodes: [])
        while let field = try fields.next() {
            switch field.tag {
            case .node: nodes.append(try NodeDeclaration(fields: field.nested))
            case .name: names.append(try EventName(decoding: field.text()))
            default: break
            }
        }
        guard !nodes.isEmpty else {
            throw WireError("an attach names no node")
        }
    }

    package var header: Header {
        Header(.attach, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        for node in nodes {
            fields.append(.node) { inner in node.write(to: &inner) }
        }
        for name in names {
            fields.append(.name, name.description)
        }
    }
}
