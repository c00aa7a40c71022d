// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Dry runs: who would be asked about an event, in order, and who not and why.
extension Broker {
    func routeDocument(_ route: Route) throws(WireError) -> JSONValue {
        guard let start = hierarchy.find(route.path) else {
            throw WireError(.noSuchNode, "there is no node at '\(route.path)'")
        }
        var walk = RouteWalk(
            route, name: names.existingNumber(of: route.name) ?? NameTable.none)
        var node = start
        while node != Hierarchy.root {
            meet(node, on: &walk)
            node = hierarchy[node].parent
        }
        return .document("route", ["responders": .array(walk.steps.map(\.json))])
    }

    private func meet(_ node: UInt32, on walk: inout RouteWalk) {
        let path = hierarchy.path(of: node)
        let record = hierarchy[node]
        if record.holder == nil {
            walk.pass(path, "vacant")
        } else if record.responders.isEmpty {
            walk.pass(path, "has no responders")
        }
        for (index, responder) in record.responders.enumerated() {
            walk.meet(
                responder, index, named: names.name(responder.name), at: path,
                obstacle: record.isLeaving ? "leaving: it takes nothing new" : nil,
                holds: matches(UInt16(clamping: index), of: node, walk.route))
        }
    }

    /// Whether a responder's predicate is true for what is not raised.
    private func matches(_ responder: UInt16, of node: UInt32, _ route: Route) -> Bool {
        true
    }
}
