// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Following the tree: first all of it, then what came, changed and went; and the counters of its nodes.
extension Broker {
    // MARK: - Changes of the tree

    /// Begins the answer to a query for changes. The work of an answer after the first grows with the
    /// changes, not with the tree.
    func changes(
        at path: NodePath, depth: UInt32, for inquiry: Inquiry, _ viewer: inout Viewer
    ) throws(WireError) -> Inquiry.Progress {
        let sentVersion = inquiry.repetition.flatMap {
            observers.repeatingQueries.sentVersion($0, of: inquiry.peer)
        }
        guard let changes = sentVersion.flatMap({ hierarchy.changes.changes(since: $0) }) else {
            var progress = Inquiry.Progress(.nodes(try places(at: path, depth: depth, &viewer)))
            progress.version = hierarchy.changes.version
            return progress
        }
        let part = TreePart(top: path, depth: depth)
        var changed: [NodeIndex] = []
        var gone: [NodeIndex] = []
        var seen: Set<NodeIndex> = []
        var seenGone: Set<NodeIndex> = []
        var parents: [NodeIndex] = []
        for change in changes {
            viewer.count(1)
            let node = change.node
            parents += lastPlaces(above: change, in: part, &viewer)
            if isShown(node, in: part, &viewer) {
                if seen.insert(node).inserted {
                    changed.append(node)
                }
            } else if let former = change.formerPath, part.contains(former), viewer.sees(former),
                seenGone.insert(node).inserted
            {
                gone.append(node)
            }
        }
        // The peer knows the places above these from earlier answers.
        for parent in parents
        where isShown(parent, in: part, &viewer) && seen.insert(parent).inserted {
            changed.append(parent)
        }
        var progress = Inquiry.Progress(.nodes(changed))
        progress.version = hierarchy.changes.version
        progress.hasOnlyChanges = true
        progress.lastLevel = part.lastLevel
        progress.fields.append(.changes, if: true)
        for node in gone {
            progress.fields.append(.gone, node.number)
        }
        progress.isEmpty = gone.isEmpty
        return progress
    }

    /// The places of the last level below which something changed: an answer has the number of their
    /// children.
    private func lastPlaces(
        above change: TreeChanges.Change, in part: TreePart, _ viewer: inout Viewer
    ) -> [NodeIndex] {
        guard let level = part.lastLevel else {
            return []
        }
        let path = hierarchy.contains(change.node) ? hierarchy.path(of: change.node) : nil
        var places: [NodeIndex] = []
        for case let path? in [path, change.formerPath] where path.depth == level + 1 {
            if part.top.contains(path), viewer.sees(path), let parent = path.parent,
                let place = hierarchy.find(parent)
            {
                places.append(place)
            }
        }
        return places
    }

    private func isShown(
        _ node: NodeIndex, in part: TreePart, _ viewer: inout Viewer
    ) -> Bool {
        guard hierarchy.contains(node) else {
            return false
        }
        if part.isWhole, viewer.seesEverything {
            return true
        }
        let path = hierarchy.path(of: node)
        return part.contains(path) && viewer.sees(path)
    }

    // MARK: - Activity

    /// Begins the answer to a query for activity.
    mutating func activity(
        at path: NodePath, for inquiry: Inquiry
    ) throws(WireError) -> Inquiry.Progress {
        guard let top = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        var progress = Inquiry.Progress(.readings(top: top, slotCount: hierarchy.slotCount))
        progress.sentVersion = inquiry.repetition.flatMap {
            observers.repeatingQueries.sentVersion($0, of: inquiry.peer)
        }
        return progress
    }

    /// Reads the counters of one turn's nodes, and writes the answer behind the last.
    mutating func addReadings(
        below top: NodeIndex, slotCount: Int, to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        let number = observers.activity.begin()
        progress.version = progress.version ?? number
        while progress.next < slotCount, viewer.steps < InquiryTable.stepsPerTurn {
            let end = min(slotCount, progress.next + Self.slotsPerStep)
            for number in progress.next..<end {
                try addReading(of: UInt32(number), below: top, to: &progress, for: &viewer)
            }
            progress.next = end
            try viewer.spend(1)
        }
        if progress.next >= slotCount {
            try writeRows(of: &progress, for: &viewer)
        }
    }

    /// As many counters are compared in one step.
    private static let slotsPerStep = 16

    private mutating func addReading(
        of number: UInt32, below top: NodeIndex, to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        guard let (node, counters) = hierarchy.counters(ofNumber: number),
            let busyness = observers.activity.take(counters, of: node, since: progress.sentVersion)
        else {
            return
        }
        try viewer.spend(1)
        guard hierarchy.contains(top), hierarchy.isAtOrBelow(node, top),
            viewer.seesEverything || viewer.sees(hierarchy.path(of: node))
        else {
            return
        }
        progress.rows.append(
            Inquiry.Progress.Row(
                row: ActivityAnswer.Row(number: number, counters: counters), busyness: busyness))
    }

    private func writeRows(
        of progress: inout Inquiry.Progress, for viewer: inout Viewer
    ) throws(WireError) {
        try viewer.spend(progress.rows.count)
        progress.rows.sort { ($1.busyness, $0.row.number) < ($0.busyness, $1.row.number) }
        let most = ActivityAnswer.countMax
        var answer = ActivityAnswer(
            request: 0, when: wallClock.time(now), rows: progress.rows.prefix(most).map(\.row))
        for other in progress.rows.dropFirst(most) {
            answer.otherCount += 1
            answer.others = answer.others + other.row.counters
        }
        answer.write(to: &progress.fields)
        progress.rows = []
    }
}

/// A place with all below it, down to a number of levels.
private struct TreePart {
    let top: NodePath
    let depth: UInt32

    var isWhole: Bool {
        top.isRoot && depth == .max
    }

    func contains(_ path: NodePath) -> Bool {
        isWhole || top.contains(path) && path.depth - top.depth <= Int(depth)
    }

    /// The last level of the tree that answers have; `nil` if they have all.
    var lastLevel: Int? {
        depth == .max ? nil : top.depth + Int(depth)
    }
}
