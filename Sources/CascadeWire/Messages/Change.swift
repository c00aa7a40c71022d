// SPDX-License-Identifier: Apache-2.0

/// Replaces what a node of this session declares, all at once; its path stays.
package struct Change: WireMessage {
    package static let command = Command.change

    package var request: UInt64
    package var node: UInt32
    package var declaration: NodeDeclaration

    package init(request: UInt64, node: UInt32, declaration: NodeDeclaration) {
        self.request = request
        self.node = node
        self.declaration = declaration
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        try self.init(
            request: header.id, node: header.node, declaration: NodeDeclaration(fields: fields))
    }

    package var header: Header {
        Header(.change, node: node, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        declaration.write(to: &fields)
    }
}
