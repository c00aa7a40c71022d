// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON
public import CascadeWire

/// The nodes of a tree or subtree, depth first in tree order.
public struct TreeDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/tree"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the bus.
    public var bus: String
    public var nodes: [InspectedNode]

    public init(bus: String, nodes: [InspectedNode]) {
        self.bus = bus
        self.nodes = nodes
    }

    /// The node at a path; `nil` if the document has none.
    public subscript(path: NodePath) -> InspectedNode? {
        nodes.first { $0.path == path }
    }

    /// The document with the members that `cascadectl tree` prints. Other than a requested key's, a
    /// tree has no values.
    public var brief: TreeDocument {
        TreeDocument(
            bus: bus,
            nodes: nodes.map { node in
                var brief = node.brief
                brief.environment = node.environment
                return brief
            })
    }
}

/// The nodes of a bus in the order that the caller requested.
public struct ListDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/list"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the bus.
    public var bus: String
    public var nodes: [InspectedNode]

    public init(bus: String, nodes: [InspectedNode]) {
        self.bus = bus
        self.nodes = nodes
    }
}

/// The values of one key at the nodes of a subtree that have one.
package struct KeyInTreeDocument: InspectionDocument {
    package static let schemaName = "cascade/v1/envTree"

    package private(set) var schema = DocumentSchema<Self>()
    package var key: EventName
    package var values: [Value]

    package struct Value: Codable, Hashable, Sendable {
        package var path: NodePath
        package var value: JSONValue
        /// The provenance: a path, or the file and line of a rule.
        package var from: String?
        package var kind: DocumentWord<ValueKind>?
        package var source: String?
        package var staleSince: Timestamp?
    }
}
