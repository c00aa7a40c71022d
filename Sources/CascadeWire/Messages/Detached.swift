// SPDX-License-Identifier: Apache-2.0

/// A node of this session is no longer in the tree, and why.
package struct Detached: WireMessage {
    package static let command = Command.detached

    package var node: UInt32
    package var path: NodePath
    package var reason: ErrorCode
    package var sentence: String

    package init(node: UInt32, path: NodePath, reason: ErrorCode, sentence: String) {
        self.node = node
        self.path = path
        self.reason = reason
        self.sentence = sentence
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(
            node: header.node, path: .root, reason: ErrorCode(rawValue: header.code) ?? .malformed,
            sentence: "")
        while let field = try fields.next() {
            switch field.tag {
            case .path: path = try NodePath(decoding: field.text())
            case .sentence: sentence = try field.text()
            default: break
            }
        }
    }

    package var header: Header {
        Header(.detached, node: node, code: reason.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.path, path.description)
        fields.append(.sentence, sentence)
    }
}
