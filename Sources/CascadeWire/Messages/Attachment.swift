// SPDX-License-Identifier: Apache-2.0

/// Attaches nodes, all or none, and requests numbers for the names that the session will trigger.
package struct Attach: WireMessage {
    package static let command = Command.attach

    /// The number of the request, which the answer repeats.
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
            throw WireError("an 'attach' message has no node")
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

/// The answer to an ``Attach``: the nodes are attached, with these numbers.
package struct Attached: WireMessage {
    package static let command = Command.attached

    package struct Node: Equatable, Sendable {
        package var path: NodePath
        package var number: UInt32
        /// `nil` from a daemon that does not send it.
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

/// A node's rank in the order of activations, and whether the node is active. The daemon sends it to
/// the node's session, which sends it back when it attaches the node on its next connection.
package struct Activation: Hashable, Sendable {
    /// A number that grows with each attachment, activation or subscription on the bus.
    package var rank: UInt64
    package var isActive: Bool

    package init(rank: UInt64, isActive: Bool) {
        self.rank = rank
        self.isActive = isActive
    }

    init(_ parts: inout PartReader) throws(WireError) {
        rank = try parts.integer()
        isActive = try parts.integer(UInt8.self) != 0
    }

    func write(to parts: inout PartWriter) {
        parts.append(rank)
        parts.append(UInt8(isActive ? 1 : 0))
    }
}

// MARK: - Changes

/// Replaces the whole declaration of a node of this session. The node keeps its path.
package struct Change: WireMessage {
    package static let command = Command.change

    package var request: UInt64
    package var node: UInt32
    package var declaration: NodeDeclaration
    /// Whether the visits and deliveries that the node has accepted count as lost with it.
    package var abandons: Bool

    package init(
        request: UInt64, node: UInt32, declaration: NodeDeclaration, abandons: Bool = false
    ) {
        self.request = request
        self.node = node
        self.declaration = declaration
        self.abandons = abandons
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        try self.init(
            request: header.id, node: header.node, declaration: NodeDeclaration(fields: fields),
            abandons: header.flags.contains(.abandons))
    }

    package var header: Header {
        Header(.change, flags: abandons ? .abandons : [], node: node, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        declaration.write(to: &fields)
    }
}

/// Reports that a node of this session has a new path.
package struct Moved: WireMessage {
    package static let command = Command.moved

    package var node: UInt32
    /// The new path.
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
            throw WireError("a 'moved' message has no path")
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

// MARK: - The end of an attachment

/// Detaches a node, or all nodes, of this session. The nodes finish the visits that they have accepted,
/// and get no new ones.
package struct Leave: WireMessage {
    package static let command = Command.leave

    package var request: UInt64
    /// The node; ``Header/noNode`` for all nodes of the session.
    package var node: UInt32

    package init(request: UInt64, node: UInt32 = Header.noNode) {
        self.request = request
        self.node = node
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(request: header.id, node: header.node)
    }

    package var header: Header {
        Header(.leave, node: node, id: request)
    }
}

/// Reports that a node of this session has been detached, and the reason.
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
