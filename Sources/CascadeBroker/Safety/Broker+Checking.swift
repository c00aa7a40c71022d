// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is wrong with the declarations in the tree, told to whoever asks.
extension Broker {
    /// In the order of the tree: declared names without a responder, undeclared names that were
    /// seen, then responders that nothing can reach.
    func findings(for viewer: inout Viewer) throws(WireError) -> [JSONValue] {
        let nodes = hierarchy.subtree(of: Hierarchy.root, depth: .max)
        try viewer.spend(nodes.count * 4)
        var findings: [JSONValue] = []
        for node in nodes {
            findings += try unhandledFindings(node, &viewer)
            findings += undeclaredFindings(node, &viewer)
        }
        findings += unreachableFindings(.triggers, nodes, &viewer)
        findings += unreachableFindings(.reports, nodes, &viewer)
        try viewer.spend(findings.count * 4)
        return findings + cycleFindings(&viewer)
    }

    private func unhandledFindings(
        _ node: NodeIndex, _ viewer: inout Viewer
    ) throws(WireError) -> [JSONValue] {
        let declared = safety[node]?.names.count ?? 0
        try viewer.spend(declared * (1 + Int(hierarchy[node].depth)))
        return unansweredNames(at: node).compactMap { declared in
            guard let name = names.name(declared.name) else {
                return nil
            }
            let what = declared.list == .triggers ? "triggers" : "reports"
            return Self.finding(
                "unhandled", hierarchy.path(of: node), name.description,
                "the node \(what) it, and no responder above is for this name", &viewer)
        }
    }

    private func undeclaredFindings(_ node: NodeIndex, _ viewer: inout Viewer) -> [JSONValue] {
        (safety[node]?.undeclared ?? []).compactMap { name in
            Self.finding(
                "undeclared", hierarchy.path(of: node), name.description,
                "it was seen to pass, and is declared neither here nor below", &viewer)
        }
    }

    private func unreachableFindings(
        _ list: DeclaredList, _ nodes: [NodeIndex], _ viewer: inout Viewer
    ) -> [JSONValue] {
        let found = ReachCheck.findings(list, among: nodes, in: hierarchy, safety)
        return found.compactMap { finding in
            let responder = hierarchy[finding.node].responders[finding.responder]
            let blocker = hierarchy.path(of: finding.blocker)
            let place =
                finding.blocker == finding.node
                ? "before it" : viewer.sees(blocker) ? "at '\(blocker)'" : "at a hidden place"
            return Self.finding(
                "unreachable", hierarchy.path(of: finding.node),
                names.name(responder.name)?.description ?? NameRule.wildcard,
                "nothing gets to the responder \(finding.responder) (\(responder.kind.name)): an "
                    + "untyped responder \(place) takes everything", &viewer)
        }
    }

    /// Those that have shown themselves since rules changed. Any node's rules may be part of one.
    private func cycleFindings(_ viewer: inout Viewer) -> [JSONValue] {
        guard viewer.seesEverything else {
            return []
        }
        return reportedCycles.compactMap { cycle in
            Self.finding(
                "cycle", .root, cycle.keys.first?.description ?? "",
                "rules need one another, so these keys have no value by them: \(cycle)", &viewer)
        }
    }

    /// `nil` for a finding at a hidden place.
    private static func finding(
        _ kind: String, _ path: NodePath, _ name: String, _ message: String,
        _ viewer: inout Viewer
    ) -> JSONValue? {
        guard let place = viewer.place(path) else {
            return nil
        }
        return .members([
            "kind": .string(kind), "path": place, "name": .string(name),
            "message": .string(message),
        ])
    }
}
