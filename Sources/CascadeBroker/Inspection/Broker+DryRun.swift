// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// Dry runs: the nodes that would be asked about an event, in order, and those skipped, and why.
extension Broker {
    mutating func routeDocument(
        _ route: RouteQuery, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        guard let start = hierarchy.find(route.path) else {
            throw WireError(.noSuchNode, "there is no node at '\(route.path)'")
        }
        var walk = RouteWalk(
            route, name: names.existingNumber(of: route.name) ?? NameIndex.none)
        try viewer.spend(route.payload.utf8.count / 16)
        var fields = FieldWriter()
        RaisedFields(attributes: route.attributes).write(to: &fields)
        let values = PredicateValues(fields: fields.bytes, payload: Array(route.payload.utf8))
        var node = start
        while node != Hierarchy.root {
            try meet(node, values, on: &walk, for: &viewer)
            node = hierarchy.parent(of: node)
        }
        if hierarchy[node].holder != nil {
            try meet(node, values, on: &walk, for: &viewer)
        }
        var steps: [JSONValue] = []
        for step in walk.steps {
            if let shown = step.json(for: &viewer) {
                steps.append(shown)
            }
        }
        return .document(
            "route",
            [
                "name": .text(route.name),
                "lane": .string(route.lane.name),
                "from": viewer.place(route.path),
                "responders": .array(steps),
            ])
    }

    private mutating func meet(
        _ node: NodeIndex, _ values: PredicateValues, on walk: inout RouteWalk,
        for viewer: inout Viewer
    ) throws(WireError) {
        let path = hierarchy.path(of: node)
        let record = hierarchy[node]
        try viewer.spend(2 + record.responders.count * 8)
        let isVisible = viewer.sees(path)
        if rejects(
            walk.route.name, DeclaredName(list: DeclaredList(walk.route.lane), name: walk.name),
            at: node)
        {
            walk.reject(at: isVisible ? "'\(path)'" : "a hidden place")
        }
        if record.holder == nil {
            walk.pass(path, "vacant")
        } else if record.responders.isEmpty {
            walk.pass(path, "has no responders")
        }
        for (index, responder) in record.responders.enumerated() {
            walk.meet(
                responder, index, named: names.name(responder.name), at: path,
                obstacle: obstacle(to: responder, of: record, walk.route),
                falsehood: try falsehood(
                    record.predicate(of: UInt16(clamping: index)), walk.route, values, &viewer),
                isVisible: isVisible)
        }
    }

    /// Returns why a responder is not asked, whatever the event; `nil` if it is.
    private func obstacle(
        to responder: Responder, of record: NodeRecord, _ route: RouteQuery
    ) -> String? {
        guard !record.isLeaving else {
            return "leaving: it takes nothing new"
        }
        let isInspection = route.lane == .request && route.name == .inspection
        guard !isInspection || responder.kind != .respond || record.isUplink else {
            return "only the root and mounts respond to it"
        }
        return nil
    }

    /// Returns why a responder's predicate is false for a dry run's message; `nil` if it is true or
    /// there is none. A comparison with a missing member is false, so missing members are named.
    private func falsehood(
        _ predicate: Predicate?, _ route: RouteQuery, _ values: PredicateValues,
        _ viewer: inout Viewer
    ) throws(WireError) -> String? {
        guard let predicate else {
            return nil
        }
        var steps = 0
        var missing: [String] = []
        let holds = predicate.evaluate(addingStepsTo: &steps) { name in
            switch name {
            case "name": return .string(route.name.description)
            case "origin": return .string(route.path.description)
            default:
                let value = values[name]
                if value == nil, !missing.contains(name) {
                    missing.append(name)
                }
                return value
            }
        }
        try viewer.spend(steps / 128)
        guard !holds else {
            return nil
        }
        let names = missing.map { "'\($0)'" }.joined(separator: ", ")
        return missing.isEmpty
            ? "its predicate is false" : "its predicate is false: the message has no \(names)"
    }
}
