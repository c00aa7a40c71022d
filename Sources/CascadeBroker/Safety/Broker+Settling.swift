// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Declared names without a responder above: checked once the tree has settled.
extension Broker {
    /// Steps of one slice of the judgement: some two milliseconds.
    private static let stepsPerSlice = 1 << 20
    /// The cost of a warning in the log and for the monitors, in steps.
    private static let stepsPerWarning = 1 << 12
    /// Milliseconds between two slices, left for other work.
    private static let pauseMilliseconds: UInt32 = 20

    mutating func scheduleSettling() {
        let milliseconds = configuration.settleMilliseconds
        if let due = safety.noticeChange(of: hierarchy, at: now, settlingIn: milliseconds) {
            deadlines.remove(safety.settling)
            safety.settle(by: deadlines.insert(due, .settle))
        }
    }

    /// Judges the nodes in slices; each as the tree is when its turn comes.
    mutating func judgeDeclarations() {
        safety.beginJudging()
        var steps = 0
        while steps < Self.stepsPerSlice, let node = safety.takeUnchecked() {
            let unanswered = unansweredNames(at: node)
            steps += unanswered.stepCount
            for name in unanswered.names {
                guard steps < Self.stepsPerSlice else {
                    safety.checkAgain(node)
                    break
                }
                if safety.recordWarning(name, at: node), let text = names.name(name.name) {
                    steps += Self.stepsPerWarning
                    log(.unhandled(hierarchy.path(of: node), text))
                }
            }
        }
        if safety.isJudging {
            safety.settle(
                by: deadlines.insert(
                    now.advanced(byMilliseconds: Self.pauseMilliseconds), .settle))
        }
    }

    /// The names that a node declares and that no responder above it is for: one of any kind that
    /// sees such things, under this very name. And how many names and responders were looked at.
    func unansweredNames(at node: NodeIndex) -> (names: [DeclaredName], stepCount: Int) {
        guard let declared = safety[node]?.names, !declared.isEmpty,
            safety.level(at: node, in: hierarchy) != .disabled,
            safety.requiresExplicitResponders(at: node, in: hierarchy)
        else {
            return ([], 1)
        }
        var unanswered = DeclaredNames(declared, end: names.end)
        var steps = 16 * declared.count
        var place = hierarchy.parent(of: node)
        while place != NodeIndex.none, !unanswered.isEmpty {
            let responders = hierarchy[place].responders
            for responder in responders {
                unanswered.remove(responder.name, responder.kind.declaredLists)
            }
            steps += 1 + responders.count
            place = hierarchy.parent(of: place)
        }
        return (declared.filter { unanswered.contains($0) }, steps)
    }
}

/// Declared names, by number, from which each responder of a long way takes its own.
private struct DeclaredNames {
    private var lists: [UInt8]
    private var count: Int

    /// - Parameter end: an upper bound of the numbers of names, exclusive.
    init(_ names: [DeclaredName], end: Int) {
        lists = [UInt8](repeating: 0, count: end)
        count = names.count
        for name in names where name.name.slot < end {
            lists[name.name.slot] |= name.list.bit
        }
    }

    var isEmpty: Bool {
        count == 0
    }

    func contains(_ name: DeclaredName) -> Bool {
        name.name.slot < lists.count && lists[name.name.slot] & name.list.bit != 0
    }

    mutating func remove(_ name: NameIndex, _ removed: UInt8) {
        guard name.slot < lists.count, lists[name.slot] & removed != 0 else {
            return
        }
        count -= (lists[name.slot] & removed).nonzeroBitCount
        lists[name.slot] &= ~removed
    }
}

extension DeclaredList {
    fileprivate var bit: UInt8 {
        1 << rawValue
    }
}

extension ResponderKind {
    /// The lists that may contain the name.
    fileprivate var declaredLists: UInt8 {
        Self.declaredLists[Int(rawValue)]
    }

    private static let declaredLists: [UInt8] = {
        var lists = [UInt8](repeating: 0, count: 256)
        for kind in ResponderKind.allCases {
            for lane in Lane.allCases where kind.sees(lane) {
                lists[Int(kind.rawValue)] |= DeclaredList(lane).bit
            }
        }
        return lists
    }()
}
