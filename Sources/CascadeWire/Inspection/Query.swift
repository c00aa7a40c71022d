// SPDX-License-Identifier: Apache-2.0

/// Asks what stands in the tree. An inspector is not a node, and looking changes nothing.
package struct Query: WireMessage {
    package static let command = Command.query

    package enum Subject: Equatable, Sendable {
        /// The nodes from `path` down, `depth` levels deep.
        case tree(path: NodePath, depth: UInt32)
        /// The daemon itself.
        case bus
        /// Who would get a publication of `name` from a publisher at `path`.
        case subscribers(name: EventName, path: NodePath)
    }

    package var request: UInt64
    package var subject: Subject
    /// Whether an answer is to follow on each change.
    package var isRepeating: Bool

    package init(request: UInt64, _ subject: Subject, isRepeating: Bool = false) {
        self.request = request
        self.subject = subject
        self.isRepeating = isRepeating
    }

    private enum Code {
        static let tree: UInt32 = 1
        static let bus: UInt32 = 2
        static let subscribers: UInt32 = 3
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        var path = NodePath.root
        var depth = UInt32.max
        var name: EventName?
        while let field = try fields.next() {
            switch field.tag {
            case .path: path = try NodePath(decoding: field.text())
            case .depth: depth = try field.integer()
            case .name: name = try EventName(decoding: field.text())
            default: break
            }
        }
        let subject: Subject
        switch (header.code, name) {
        case (Code.tree, _): subject = .tree(path: path, depth: depth)
        case (Code.bus, _): subject = .bus
        case (Code.subscribers, let name?): subject = .subscribers(name: name, path: path)
        case (Code.subscribers, nil): throw WireError("a query for subscribers names no name")
        default: throw WireError(.unknownQuery, "there is no query \(header.code)")
        }
        self.init(
            request: header.id, subject, isRepeating: header.flags.contains(.repeating))
    }

    package var header: Header {
        let code =
            switch subject {
            case .tree: Code.tree
            case .bus: Code.bus
            case .subscribers: Code.subscribers
            }
        return Header(.query, flags: isRepeating ? .repeating : [], id: request, code: code)
    }

    package func write(to fields: inout FieldWriter) {
        switch subject {
        case .tree(let path, let depth):
            fields.append(.path, path.description)
            fields.append(.depth, depth)
        case .bus:
            break
        case .subscribers(let name, let path):
            fields.append(.name, name.description)
            fields.append(.path, path.description)
        }
    }
}
