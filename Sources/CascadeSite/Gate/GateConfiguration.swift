// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The parent's configuration of its gate.
package struct GateConfiguration: Equatable, Sendable {
    /// The largest number of children.
    package static let childCountMax = 1_024

    /// The parent's name.
    package let name: SiteName
    /// The name of the parent's bus, for people.
    package let bus: String
    /// The mount of each child.
    package let children: [SiteName: NodePath]
    /// The largest frame, in bytes.
    package let maximum: Int
    /// The unacknowledged bytes that each link may have, each way.
    package let window: Int
    package let patience: Duration

    /// Creates a configuration for a server with the given `max_payload`.
    ///
    /// Throws ``GateConfigurationError`` if a child has the name of the parent, if a mount is the root,
    /// a foreign place, or a place at or below another mount, or if a size is out of range.
    package init(
        name: SiteName, bus: String, children: [SiteName: NodePath], maxPayload: Int = 1_048_576,
        patience: Duration = LinkSettings.defaultPatience
    ) throws(GateConfigurationError) {
        guard children.count <= Self.childCountMax else {
            throw .tooManyChildren(children.count)
        }
        guard children[name] == nil else {
            throw .ownName(name)
        }
        let maximum = maxPayload - LinkSettings.payloadReserve
        guard LinkSettings.maximumRange.contains(maximum) else {
            throw .maxPayload(maxPayload)
        }
        try Self.check(children)
        self.name = name
        self.bus = bus
        self.children = children
        self.maximum = maximum
        window = LinkSettings.window(childCount: children.count)
        self.patience = patience
    }

    private static func check(_ children: [SiteName: NodePath]) throws(GateConfigurationError) {
        var childrenByMount: [NodePath: SiteName] = [:]
        // In order of names, so that the same configuration gives the same error.
        for (child, mount) in children.sorted(by: { $0.key.description < $1.key.description }) {
            guard !mount.isRoot, !mount.isForeign else {
                throw .badMount(child, mount)
            }
            guard childrenByMount.updateValue(child, forKey: mount) == nil else {
                throw .sharedMount(child, mount)
            }
        }
        for (mount, child) in childrenByMount {
            var above = mount.parent
            while let place = above {
                guard childrenByMount[place] == nil else {
                    throw .nestedMount(child, mount, below: place)
                }
                above = place.parent
            }
        }
    }
}

/// A fault of a gate's configuration.
package enum GateConfigurationError: Error, Equatable, Sendable {
    case ownName(SiteName)
    case badMount(SiteName, NodePath)
    case sharedMount(SiteName, NodePath)
    case nestedMount(SiteName, NodePath, below: NodePath)
    case tooManyChildren(Int)
    case maxPayload(Int)
}

extension GateConfigurationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ownName(let name):
            "the child '\(name)' has the name of this site; each site of a realm has its own name"
        case .badMount(let child, let mount):
            "the child '\(child)' cannot stand at \(mount): a mount is a node below the root of this "
                + "bus"
        case .sharedMount(let child, let mount):
            "the child '\(child)' cannot stand at \(mount): another child stands there"
        case .nestedMount(let child, let mount, let below):
            "the child '\(child)' cannot stand at \(mount): another child stands above it, at \(below)"
        case .tooManyChildren(let count):
            "\(count) children exceed the limit of \(GateConfiguration.childCountMax)"
        case .maxPayload(let byteCount):
            "the server's max_payload of \(byteCount) bytes is out of range"
        }
    }
}
