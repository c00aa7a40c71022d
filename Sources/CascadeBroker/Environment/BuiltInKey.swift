// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A key whose value the bus itself knows for each node. Rules read it, and nobody sets it.
enum BuiltInKey: String, CaseIterable {
    case nodePath = "node.path"
    case nodeName = "node.name"
    case nodeDepth = "node.depth"
    case nodeUser = "node.uid"
    case nodeUnit = "node.unit"
    case busName = "bus.name"
    case hostName = "host.name"

    init?(_ key: EventName) {
        self.init(rawValue: key.description)
    }

    /// Whether its value may be another one at each node.
    var dependsOnNode: Bool {
        switch self {
        case .nodePath, .nodeName, .nodeDepth, .nodeUser, .nodeUnit: true
        case .busName, .hostName: false
        }
    }
}
