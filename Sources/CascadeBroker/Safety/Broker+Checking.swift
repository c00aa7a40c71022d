// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is wrong with the declarations in the tree, told to whoever asks.
extension Broker {
    /// In the order of the tree: declared names without a responder, undeclared names that were
    /// seen, then responders that nothing can reach.
    var findings: [JSONValue] {
        let nodes = hierarchy.subtree(of: Hierarchy.root, depth: .max)
        return nodes.flatMap { unhandledFindings($0) + undeclaredFindings($0) }
            + unreachableFindings(.triggers, nodes) + unreachableFindings(.reports, nodes)
            + cycleFindings
    }

    private func unhandledFindings(_ node: UInt32) -> [JSONValue] {
        unansweredNames(at: node).compactMap { declared in
            guard let name = names.name(declared.name) else {
                return nil
            }
            let what = declared.list == .triggers ? "triggers" : "reports"
            return Self.finding(
                "unhandled", hierarchy.path(of: node), name.description,
                "the node \(what) it, and no responder above is for this name")
        }
    }

    private func undeclaredFindings(_ node: UInt32) -> [JSONValue] {
        (safety[node]?.undeclared ?? []).map { name in
            Self.finding(
                "undeclared", hierarchy.path(of: node), name.description,
                "it was seen to pass, and is declared neither here nor below")
        }
    }

    private func unreachableFindings(_ list: DeclaredList, _ nodes: [UInt32]) -> [JSONValue] {
        ReachCheck.findings(list, among: nodes, in: hierarchy, safety).map { finding in
            let responder = hierarchy[finding.node].responders[finding.responder]
            let place =
                finding.blocker == finding.node
                ? "before it" : "at '\(hierarchy.path(of: finding.blocker))'"
            return Self.finding(
                "unreachable", hierarchy.path(of: finding.node),
                names.name(responder.name)?.description ?? NameRule.wildcard,
                "nothing gets to the responder \(finding.responder) (\(responder.kind.name)): an "
                    + "untyped responder \(place) takes everything")
        }
    }

    /// Those that have shown themselves since rules changed.
    private var cycleFindings: [JSONValue] {
        reportedCycles.map { cycle in
            Self.finding(
                "cycle", .root, cycle.keys.first?.description ?? "",
                "rules need one another, so these keys have no value by them: \(cycle)")
        }
    }

    private static func finding(
        _ kind: String, _ path: NodePath, _ name: String, _ message: String
    ) -> JSONValue {
        .members([
            "kind": .string(kind), "path": .text(path), "name": .string(name),
            "message": .string(message),
        ])
    }
}
