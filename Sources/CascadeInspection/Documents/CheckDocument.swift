// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The findings about the declarations in the tree, in tree order.
public struct CheckDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/check"

    public private(set) var schema = DocumentSchema<Self>()
    public var findings: [CheckFinding]
}

/// A finding about a declaration.
public struct CheckFinding: Codable, Hashable, Sendable {
    /// `unhandled`, `undeclared`, `unreachable`, or `cycle`; at a site also `siteCut`, `siteRefused`,
    /// `siteTwin`, or `notCarried`.
    public var kind: String
    /// The node of the declaration.
    public var path: NodePath
    /// The declared name; `*` for a responder for every name. The name of a site if the finding is about it.
    public var name: String
    /// The finding as a sentence.
    public var message: String

    package init(kind: String, path: NodePath, name: String, message: String) {
        self.kind = kind
        self.path = path
        self.name = name
        self.message = message
    }
}
