// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The check of the declarations in the tree, and its findings.
extension Broker {
    /// Examines some more places. The findings come in the order of the tree: first declared names
    /// without a responder and undeclared names that were seen; then, examined from the last place
    /// to the first, unreachable responders; finally cycles of rules.
    func addFindings(
        at places: [NodeIndex], to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        while progress.next < progress.items.count, viewer.steps < InquiryTable.stepsPerTurn {
            let (part, place) = progress.next.quotientAndRemainder(dividingBy: places.count)
            if place == 0, let finding = progress.unreachable.popLast() {
                try progress.append(finding, for: &viewer)
                continue
            }
            progress.next += 1
            switch part {
            case 0:
                try addDeclarationFindings(at: places[place], to: &progress, for: &viewer)
            case 1, 2:
                let list = part == 1 ? DeclaredList.triggers : .reports
                var check = progress.reach ?? ReachCheck(list)
                progress.reach = nil
                if check.list != list {
                    check = ReachCheck(list)
                }
                let reversed = places[places.count - 1 - place]
                if hierarchy.contains(reversed) {
                    let (found, steps) = check.visit(
                        reversed, in: hierarchy, safety[reversed])
                    try viewer.spend(steps + found.count)
                    for finding in found {
                        if let json = unreachableFinding(finding, &viewer) {
                            progress.unreachable.append(json)
                        }
                    }
                }
                progress.reach = check
            default:
                for finding in cycleFindings(&viewer) {
                    try progress.append(finding, for: &viewer)
                }
            }
        }
    }

    private func addDeclarationFindings(
        at node: NodeIndex, to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        try viewer.spend(1)
        guard hierarchy.contains(node) else {
            return
        }
        for finding in try unhandledFindings(node, &viewer)
            + undeclaredFindings(node, &viewer)
        {
            try progress.append(finding, for: &viewer)
        }
    }

    private func unhandledFindings(
        _ node: NodeIndex, _ viewer: inout Viewer
    ) throws(WireError) -> [JSONValue] {
        let unanswered = unansweredNames(at: node)
        try viewer.spend(unanswered.stepCount / 128)
        return unanswered.names.compactMap { declared in
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

    private func unreachableFinding(
        _ finding: ReachCheck.Finding, _ viewer: inout Viewer
    ) -> JSONValue? {
        let responder = hierarchy[finding.node].responders[finding.responder]
        let blocker = hierarchy.path(of: finding.blocker)
        let place =
            finding.blocker == finding.node
            ? "before it" : viewer.sees(blocker) ? "at '\(blocker)'" : "at a hidden place"
        let message = finding.list == .triggers ? "event" : "error"
        return Self.finding(
            "unreachable", hierarchy.path(of: finding.node),
            names.name(responder.name)?.description ?? NameRule.wildcard,
            "no \(message) gets to the responder \(finding.responder) (\(responder.kind.name)): an "
                + "untyped responder \(place) takes everything", &viewer)
    }

    /// Those that have shown themselves since rules changed. Any node's rules may be part of one.
    private func cycleFindings(_ viewer: inout Viewer) -> [JSONValue] {
        guard viewer.seesEverything else {
            return []
        }
        return environment.cycles.compactMap { cycle in
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
