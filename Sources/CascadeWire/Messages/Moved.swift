// SPDX-License-Identifier: Apache-2.0

/// A node of this session is at another path now.
package struct Moved: WireMessage {
    package static let command = Command.moved

    package var node: UInt32
    /// Where it is now.
    package var path: NodePath

    package init(node: UInt32, path: NodePath) {
        self.node = node
        self.path = path
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        var path: NodePath?
        while let field = try fields.next() {
            if field.tag == .path {
                path = try NodePath(decoding: field.text())
            }
        }
        guard let path else {
            throw WireError("a moved names no path")
        }
        self.init(node: header.node, path: path)
    }

    package var header: Header {
        Header(.moved, node: node)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.path, path.description)
    }
}
