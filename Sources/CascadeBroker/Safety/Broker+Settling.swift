// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Declared names without a responder above: checked once the tree has settled.
extension Broker {
    /// A tree that never rests is judged all the same, after so many settling times.
    private static let settlingTimesMax: UInt32 = 10

    /// Each change of the tree begins the settling time anew.
    mutating func scheduleSettling() {
        guard safety.gateCount > 0, safety.noticedVersion != hierarchy.version else {
            return
        }
        safety.noticedVersion = hierarchy.version
        let settle = configuration.settleMilliseconds
        if safety.settleHandle == DeadlineQueue.none {
            let longest = min(settle, .max / Self.settlingTimesMax) * Self.settlingTimesMax
            safety.judgedAtLatest = now.advanced(byMilliseconds: longest)
        }
        deadlines.remove(&safety.settleHandle)
        let due = min(now.advanced(byMilliseconds: settle), safety.judgedAtLatest)
        safety.settleHandle = deadlines.insert(due, .settle)
    }

    mutating func judgeDeclarations() {
        safety.settleHandle = DeadlineQueue.none
        for node in safety.nodes {
            for name in unansweredNames(at: node) where safety.noteWarning(name, at: node) {
                if let text = names.name(name.name) {
                    log(.unhandled(hierarchy.path(of: node), text))
                }
            }
        }
    }

    /// The names that a node declares and that no responder above it is for: one of any kind that
    /// sees such things, under this very name.
    func unansweredNames(at node: NodeIndex) -> [DeclaredName] {
        guard let declared = safety[node]?.names, !declared.isEmpty,
            safety.level(at: node, in: hierarchy) != .disabled,
            safety.requiresExplicitResponders(at: node, in: hierarchy)
        else {
            return []
        }
        return declared.filter { !hasResponder($0, above: node) }
    }

    private func hasResponder(_ name: DeclaredName, above node: NodeIndex) -> Bool {
        var place = hierarchy.parent(of: node)
        while place != NodeIndex.none {
            let isAnswered = hierarchy[place].responders.contains { responder in
                responder.name == name.name && responder.kind.isFor(name.list)
            }
            if isAnswered {
                return true
            }
            place = hierarchy.parent(of: place)
        }
        return false
    }
}

extension ResponderKind {
    /// Whether it may be asked about what is declared in this list.
    fileprivate func isFor(_ list: DeclaredList) -> Bool {
        Lane.allCases.contains { sees($0) && DeclaredList($0) == list }
    }
}
