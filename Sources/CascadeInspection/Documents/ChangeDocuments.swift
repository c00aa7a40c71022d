// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// A node that a command has made active or inactive.
public struct ActivityDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/activity"

    public private(set) var schema = DocumentSchema<Self>()
    public var path: NodePath
    /// Whether the node is active now. A node below an inactive one is not.
    public var active: Bool
    /// The nearest ancestor that is inactive itself; `nil` if there is none, or it cannot be seen.
    public var inactiveAncestor: NodePath?

    public init(path: NodePath, active: Bool, inactiveAncestor: NodePath? = nil) {
        self.path = path
        self.active = active
        self.inactiveAncestor = inactiveAncestor
    }
}

/// Nodes that a command has moved, drained or detached.
public struct TopologyDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/topology"

    /// The kinds of change.
    public enum Change: String, NamedCase {
        case moved, drained, detached
    }

    public private(set) var schema = DocumentSchema<Self>()
    public var change: DocumentWord<Change>
    /// The previous path of the topmost changed node.
    public var path: NodePath
    /// The new path of a moved node.
    public var to: NodePath?
    /// The previous paths of the changed nodes.
    public var nodes: [NodePath]

    public init(change: Change, path: NodePath, to: NodePath? = nil, nodes: [NodePath]) {
        self.change = DocumentWord(change)
        self.path = path
        self.to = to
        self.nodes = nodes
    }
}

/// Values that a command has set or removed from outside the tree.
public struct SettingsDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/envSet"

    /// A key with its new value.
    public struct Setting: Codable, Hashable, Sendable {
        public var key: EventName
        /// The new value; `nil` if the value has been removed.
        public var value: JSONValue?

        public init(key: EventName, value: JSONValue?) {
            self.key = key
            self.value = value
        }
    }

    public private(set) var schema = DocumentSchema<Self>()
    /// The path at and below which the values are read.
    public var at: NodePath
    public var values: [Setting]

    public init(at path: NodePath, values: [Setting]) {
        at = path
        self.values = values
    }

    /// The document of settings that the bus has taken.
    package init(at path: NodePath, _ settings: [EnvironmentSetting]) {
        self.init(
            at: path,
            values: settings.map { setting in
                Setting(key: setting.key, value: setting.json.map(JSONValue.init(value:)))
            })
    }
}

/// A retained publication that a command has cleared.
public struct ClearedDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/cleared"

    public private(set) var schema = DocumentSchema<Self>()
    /// The path of the publisher.
    public var path: NodePath
    /// The name of the publication.
    public var name: EventName

    public init(path: NodePath, name: EventName) {
        self.path = path
        self.name = name
    }
}

/// A message that a command has raised without waiting for its outcome.
public struct RaisedDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/raised"

    public private(set) var schema = DocumentSchema<Self>()
    public var id: EventID
    public var name: EventName

    public init(id: EventID, name: EventName) {
        self.id = id
        self.name = name
    }
}

/// A reload of the daemon's files.
public struct ReloadDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/reload"

    public private(set) var schema = DocumentSchema<Self>()
    /// The process ID of the daemon.
    public var pid: Int32
    /// The daemon's message about the files that it has read.
    public var message: String

    public init(pid: Int32, message: String) {
        self.pid = pid
        self.message = message
    }
}

/// The difference between a dump and the one before it.
public struct DifferenceDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/difference"

    public private(set) var schema = DocumentSchema<Self>()
    /// The operations of a JSON Patch (RFC 6902) for the previous dump.
    public var patch: [JSONValue]

    public init(patch: [JSONValue]) {
        self.patch = patch
    }
}

extension JSONValue {
    /// Creates a value from JSON that the bus has accepted. Text that is not JSON becomes a string.
    package init(value text: String) {
        self = (try? JSONValue(parsing: text)) ?? .string(text)
    }
}
