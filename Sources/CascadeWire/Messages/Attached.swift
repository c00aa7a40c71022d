// SPDX-License-Identifier: Apache-2.0

/// The nodes of an attach stand in the tree; from now on they go by these numbers.
package struct Attached: WireMessage {
    package static let command = Command.attached

    package struct Node: Equatable, Sendable {
        package var path: NodePath
        package var number: UInt32
        /// `nil` from a daemon that does not say.
        package var activation: Activation?

        package init(path: NodePath, number: UInt32, activation: Activation? = nil) {
            self.path = path
            self.number = number
            self.activation = activation
        }
    }

    package var request: UInt64
    package var nodes: [Node]

    package init(request: UInt64, nodes: [Node]) {
        self.request = request
        self.nodes = nodes
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, nodes: [])
        while let field = try fields.next() {
            if field.tag == .nodeNumber {
                var parts = field.parts
                let number: UInt32 = try parts.integer()
                let path = try NodePath(decoding: parts.text())
                let activation = parts.isAtEnd ? nil : try Activation(&parts)
                nodes.append(Node(path: path, number: number, activation: activation))
            }
        }
    }

    package var header: Header {
        Header(.attached, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        for node in nodes {
            fields.append(.nodeNumber) { parts in
                parts.append(node.number)
                parts.append(node.path.description)
                node.activation?.write(to: &parts)
            }
        }
    }
}
