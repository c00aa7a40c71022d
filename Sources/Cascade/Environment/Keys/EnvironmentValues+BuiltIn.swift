// SPDX-License-Identifier: Apache-2.0

/// What the bus itself knows of each node, for rules to look at; no node can set it.
extension EnvironmentValues {
    /// The path of the node that reads.
    public var nodePath: String { self[NodePathKey.self] }

    /// The last component of the path.
    public var nodeName: String { self[NodeNameKey.self] }

    /// How many components the path has.
    public var nodeDepth: Int { self[NodeDepthKey.self] }

    /// The user who runs the node's process.
    public var nodeUserID: Int { self[NodeUserIDKey.self] }

    /// The systemd unit of the node's process.
    public var nodeUnit: String { self[NodeUnitKey.self] }

    /// What the bus is called.
    public var busName: String { self[BusNameKey.self] }

    /// What the machine is called that the bus runs on.
    public var hostName: String { self[HostNameKey.self] }
}

private enum NodePathKey: EnvironmentKey {
    static let name = "node.path"
    static let defaultValue = ""
}

private enum NodeNameKey: EnvironmentKey {
    static let name = "node.name"
    static let defaultValue = ""
}

private enum NodeDepthKey: EnvironmentKey {
    static let name = "node.depth"
    static let defaultValue = 0
}

private enum NodeUserIDKey: EnvironmentKey {
    static let name = "node.uid"
    static let defaultValue = 0
}

private enum NodeUnitKey: EnvironmentKey {
    static let name = "node.unit"
    static let defaultValue = ""
}

private enum BusNameKey: EnvironmentKey {
    static let name = "bus.name"
    static let defaultValue = ""
}

private enum HostNameKey: EnvironmentKey {
    static let name = "host.name"
    static let defaultValue = ""
}
