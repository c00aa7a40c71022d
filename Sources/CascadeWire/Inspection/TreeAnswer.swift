// SPDX-License-Identifier: Apache-2.0

/// The answer to a query for the tree: its nodes, depth first, children in the order in which they
/// came to be.
package struct TreeAnswer: WireMessage {
    package static let command = Command.answer

    package var request: UInt64
    package var nodes: [NodeSnapshot]

    package init(request: UInt64, nodes: [NodeSnapshot]) {
        self.request = request
        self.nodes = nodes
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, nodes: [])
        while let field = try fields.next() {
            if field.tag == .node {
                nodes.append(try NodeSnapshot(fields: field.nested))
            }
        }
    }

    package var header: Header {
        Header(.answer, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        for node in nodes {
            fields.append(.node) { inner in node.write(to: &inner) }
        }
    }
}
