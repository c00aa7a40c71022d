// SPDX-License-Identifier: Apache-2.0

/// Makes a node of any session count as a subscriber again, or no longer.
package struct Activate: WireMessage {
    package static let command = Command.activate

    package var request: UInt64
    package var path: NodePath
    package var isActive: Bool

    package init(request: UInt64, path: NodePath, isActive: Bool) {
        self.request = request
        self.path = path
        self.isActive = isActive
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
            throw WireError("an activate names no path")
        }
        self.init(request: header.id, path: path, isActive: header.code != 0)
    }

    package var header: Header {
        Header(.activate, id: request, code: isActive ? 1 : 0)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.path, path.description)
    }
}
