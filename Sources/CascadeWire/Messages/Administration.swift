// SPDX-License-Identifier: Apache-2.0

/// Changes the tree, or deletes messages that the bus has stored, at an administrator's request.
package struct Administer: WireMessage {
    package static let command = Command.administer

    package enum Change: Equatable, Sendable {
        /// Moves the node and its subtree below another parent.
        case move(path: NodePath, under: NodePath)
        /// Lets the node finish the visits that it accepted, then detaches it.
        case drain(path: NodePath, withSubtree: Bool)
        /// Detaches the node at once.
        case detach(path: NodePath, withSubtree: Bool)
        /// Deletes the retained publication of a name and publisher.
        case clearRetained(name: EventName, path: NodePath)
        /// Deletes all undelivered messages.
        case clearUndelivered
    }

    package var request: UInt64
    package var change: Change

    package init(request: UInt64, _ change: Change) {
        self.request = request
        self.change = change
    }

    private enum Code {
        static let move: UInt32 = 1
        static let drain: UInt32 = 2
        static let detach: UInt32 = 3
        static let clearRetained: UInt32 = 4
        static let clearUndelivered: UInt32 = 5
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        var path: NodePath?
        var parent: NodePath?
        var name: EventName?
        while let field = try fields.next() {
            switch field.tag {
            case .path: path = try NodePath(decoding: field.text())
            case .origin: parent = try NodePath(decoding: field.text())
            case .name: name = try EventName(decoding: field.text())
            default: break
            }
        }
        let withSubtree = header.flags.contains(.withSubtree)
        let change: Change
        switch (header.code, path) {
        case (Code.move, let path?):
            change = .move(path: path, under: parent ?? .root)
        case (Code.drain, let path?): change = .drain(path: path, withSubtree: withSubtree)
        case (Code.detach, let path?): change = .detach(path: path, withSubtree: withSubtree)
        case (Code.clearRetained, let path?):
            guard let name else {
                throw WireError("a request to clear a retained publication has no name")
            }
            change = .clearRetained(name: name, path: path)
        case (Code.clearUndelivered, _): change = .clearUndelivered
        case (Code.move...Code.clearRetained, nil):
            throw WireError("an 'administer' message has no path")
        default: throw WireError(.unknownQuery, "there is no change \(header.code)")
        }
        self.init(request: header.id, change)
    }

    package var header: Header {
        switch change {
        case .move: header(Code.move)
        case .drain(_, let withSubtree): header(Code.drain, withSubtree)
        case .detach(_, let withSubtree): header(Code.detach, withSubtree)
        case .clearRetained: header(Code.clearRetained)
        case .clearUndelivered: header(Code.clearUndelivered)
        }
    }

    private func header(_ code: UInt32, _ withSubtree: Bool = false) -> Header {
        Header(.administer, flags: withSubtree ? .withSubtree : [], id: request, code: code)
    }

    package func write(to fields: inout FieldWriter) {
        switch change {
        case .move(let path, let parent):
            fields.append(.path, path.description)
            fields.append(.origin, parent.description)
        case .drain(let path, _), .detach(let path, _):
            fields.append(.path, path.description)
        case .clearRetained(let name, let path):
            fields.append(.name, name.description)
            fields.append(.path, path.description)
        case .clearUndelivered:
            break
        }
    }
}

/// Makes a node of any session active or inactive. An inactive node does not count as a subscriber.
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
            throw WireError("an 'activate' message has no path")
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
