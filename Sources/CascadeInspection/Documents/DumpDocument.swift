// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// The state of a bus at one moment.
public struct DumpDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/dump"

    public private(set) var schema = DocumentSchema<Self>()
    public var when: Timestamp
    /// The name of the bus.
    public var bus: String
    /// The nodes with all members of ``InspectedNode`` up to ``InspectedNode/counters``.
    public var tree: TreeDocument
    public var status: BusStatusDocument
    /// The subscribers of each name, for publications from the root.
    public var subscribers: NamedMembers<SubscribersDocument>
    public var undelivered: UndeliveredDocument
    public var check: CheckDocument
    /// The values of each node that has any.
    public var environment: [NodeEnvironmentEntry]
    /// The preferences of each node that has any.
    public var preferences: [NodePreferencesEntry]
    public var rules: RulesDocument

    package init(
        when: Timestamp, bus: String, tree: TreeDocument, status: BusStatusDocument,
        subscribers: NamedMembers<SubscribersDocument>, undelivered: UndeliveredDocument,
        check: CheckDocument, environment: [NodeEnvironmentEntry],
        preferences: [NodePreferencesEntry], rules: RulesDocument
    ) {
        self.when = when
        self.bus = bus
        self.tree = tree
        self.status = status
        self.subscribers = subscribers
        self.undelivered = undelivered
        self.check = check
        self.environment = environment
        self.preferences = preferences
        self.rules = rules
    }
}

/// The values that one node reads.
public struct NodeEnvironmentEntry: Codable, Hashable, Sendable {
    public var path: NodePath
    public var values: [EnvironmentEntry]

    public init(path: NodePath, values: [EnvironmentEntry]) {
        self.path = path
        self.values = values
    }
}

/// The preferences of one node and its subtree, each reduced to one value.
public struct NodePreferencesEntry: Codable, Hashable, Sendable {
    public var path: NodePath
    public var preferences: NamedMembers<JSONValue>
    /// The reducers of the keys; `nil` in the dump of a release that did not tell them.
    public var reducers: NamedMembers<String>?

    public init(
        path: NodePath, preferences: NamedMembers<JSONValue>, reducers: NamedMembers<String>? = nil
    ) {
        self.path = path
        self.preferences = preferences
        self.reducers = reducers
    }
}
