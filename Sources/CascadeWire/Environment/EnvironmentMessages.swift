// SPDX-License-Identifier: Apache-2.0

/// Sets values and offers preferences, all or none: for one of the session's nodes, or from outside
/// the tree at any path.
///
/// Watched keys and preferences are added to those that the node watches already. Rules replace the
/// node's own.
package struct SetEnvironment: WireMessage {
    package static let command = Command.set

    package var request: UInt64
    /// One of the session's own nodes; ``Header/noNode`` for a peer outside the tree.
    package var node: UInt32
    /// The path, for a peer outside the tree.
    package var path: NodePath?
    package var assignments: Assignments

    package init(
        request: UInt64, node: UInt32 = Header.noNode, path: NodePath? = nil,
        _ assignments: Assignments
    ) {
        self.request = request
        self.node = node
        self.path = path
        self.assignments = assignments
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(request: header.id, node: header.node, Assignments())
        while let field = try fields.next() {
            if field.tag == .path {
                path = try NodePath(decoding: field.text())
            } else {
                try assignments.read(field)
            }
        }
    }

    package var header: Header {
        Header(.set, node: node, id: request)
    }

    package func write(to fields: inout FieldWriter) {
        if let path {
            fields.append(.path, path.description)
        }
        assignments.write(to: &fields)
    }
}

// MARK: - Changes

/// The changes of one transaction for one node, or the node's initial values.
package struct EnvironmentChanges: WireMessage {
    package static let command = Command.environment

    package var node: UInt32
    /// Whether these are the initial values: every watched key that has a value.
    package var isSnapshot: Bool
    package var changes: [EnvironmentChange]

    package init(node: UInt32, isSnapshot: Bool = false, _ changes: [EnvironmentChange]) {
        self.node = node
        self.isSnapshot = isSnapshot
        self.changes = changes
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(node: header.node, isSnapshot: header.code == 1, [])
        while let field = try fields.next() {
            if field.tag == .value || field.tag == .preference {
                changes.append(try EnvironmentChange(field))
            }
        }
    }

    package var header: Header {
        Header(.environment, node: node, code: isSnapshot ? 1 : 0)
    }

    package func write(to fields: inout FieldWriter) {
        for change in changes {
            change.write(to: &fields)
        }
    }
}

/// A change of the value of a key for one node.
package struct EnvironmentChange: Hashable, Sendable {
    package var key: EventName
    /// The previous value as JSON text; `nil` for none.
    package var old: String?
    /// The new value as JSON text; `nil` for none.
    package var new: String?
    /// Whether it is a preference, reduced over the node's subtree, and not a key of the environment.
    package var isPreference: Bool

    package init(_ key: EventName, old: String?, new: String?, isPreference: Bool = false) {
        self.key = key
        self.old = old
        self.new = new
        self.isPreference = isPreference
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var fields = field.nested
        var key: EventName?
        var change = EnvironmentChange(EventName(unchecked: ""), old: nil, new: nil)
        change.isPreference = field.tag == .preference
        while let field = try fields.next() {
            switch field.tag {
            case .key: key = try EventName(decodingKey: field.text())
            case .text: change.new = try field.text()
            case .oldText: change.old = try field.text()
            default: break
            }
        }
        guard let key else {
            throw WireError("a change of the environment has no key")
        }
        change.key = key
        self = change
    }

    func write(to fields: inout FieldWriter) {
        fields.append(
            isPreference ? .preference : .value,
            nested: { change in
                change.append(.key, key.description)
                if let new {
                    change.append(.text, new)
                }
                if let old {
                    change.append(.oldText, old)
                }
            })
    }
}

// MARK: - Built-in keys

/// A key whose value the bus itself provides for each node. Rules can read it; neither a node nor a
/// rule can set it.
package enum BuiltInKey: String, CaseIterable, Sendable {
    case nodePath = "node.path"
    case nodeName = "node.name"
    case nodeDepth = "node.depth"
    case nodeUser = "node.uid"
    case nodeUnit = "node.unit"
    case busName = "bus.name"
    case hostName = "host.name"

    package init?(_ key: EventName) {
        self.init(rawValue: key.description)
    }

    /// Whether the value may differ between nodes.
    package var dependsOnNode: Bool {
        switch self {
        case .nodePath, .nodeName, .nodeDepth, .nodeUser, .nodeUnit: true
        case .busName, .hostName: false
        }
    }

    /// The error sentence for a rule that sets the key.
    package var ruleRefusal: String {
        "the bus itself provides '\(rawValue)'; a rule cannot set it"
    }
}
