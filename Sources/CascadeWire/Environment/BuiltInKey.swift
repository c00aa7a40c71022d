// SPDX-License-Identifier: Apache-2.0

/// A key whose value the bus itself knows for each node. Rules read it, and nobody sets it.
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

    /// Whether its value may be another one at each node.
    package var dependsOnNode: Bool {
        switch self {
        case .nodePath, .nodeName, .nodeDepth, .nodeUser, .nodeUnit: true
        case .busName, .hostName: false
        }
    }

    /// Why nobody has a rule for it.
    package var ruleRefusal: String {
        "'\(rawValue)' is known by the bus, and no rule is for it"
    }
}
