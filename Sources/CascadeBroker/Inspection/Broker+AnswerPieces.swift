// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// The pieces of a large answer: each turn adds those of the next places, keys or events, as many as a turn may
/// look at.
extension Broker {
    /// Adds one turn's part of the answer. Returns whether the answer is complete.
    mutating func add(
        to progress: inout Inquiry.Progress, _ subject: Query.Subject, for viewer: inout Viewer
    ) throws(WireError) -> Bool {
        switch (progress.items, subject) {
        case (.nodes(let places), .tree), (.nodes(let places), .treeChanges):
            try add(places, to: &progress, for: &viewer)
        case (.nodes(let places), .environmentTree(let key, _)):
            try add(key, at: places, to: &progress, for: &viewer)
        case (.nodes(let places), _): try addDifference(at: places, to: &progress, for: &viewer)
        case (.checked(let places), _): try addFindings(at: places, to: &progress, for: &viewer)
        case (.keys(let keys), .environment(let path, _)):
            try add(keys, at: path, to: &progress, for: &viewer)
        case (.keys, _): progress.next = progress.items.count
        case (.readings(let top, let slotCount), _):
            try addReadings(below: top, slotCount: slotCount, to: &progress, for: &viewer)
        case (.undelivered(let entries), _):
            while progress.next < entries.count, viewer.steps < InquiryTable.stepsPerTurn {
                let entry = entries[progress.next]
                try viewer.spend(4 + entry.shownPayload.count / entry.bytesPerStep)
                if let json = entry.json(at: wallClock, for: &viewer) {
                    try progress.append(json, for: &viewer, bytesPerStep: entry.bytesPerStep)
                }
                progress.next += 1
            }
        case (.happenings(let monitorEvents), _):
            while progress.next < monitorEvents.count, viewer.steps < InquiryTable.stepsPerTurn {
                try viewer.spend(8)
                let monitorEvent = monitorEvents[progress.next]
                if monitorEvent.isVisible(to: &viewer) {
                    let document = monitorEvent.document(at: wallClock, for: &viewer)
                    try progress.append(document, for: &viewer)
                }
                progress.next += 1
            }
        }
        return progress.next >= progress.items.count
    }

    private func add(
        _ places: [NodeIndex], to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        while progress.next < places.count, viewer.steps < InquiryTable.stepsPerTurn {
            let place = places[progress.next]
            guard let childCount = try childCount(of: place, &progress, for: &viewer) else {
                return
            }
            progress.next += 1
            guard hierarchy.contains(place),
                var snapshot = snapshot(of: place, childCount: childCount, for: &viewer)
            else {
                try viewer.spend(1)
                continue
            }
            if progress.version != nil {
                snapshot.number = place.number
            }
            progress.isEmpty = false
            let before = progress.fields.bytes.count
            progress.fields.append(.node) { fields in
                snapshot.write(to: &fields)
            }
            try viewer.spend(4 + (progress.fields.bytes.count - before) / 64)
        }
    }

    /// Counts the children of the next place that the viewer sees. Returns `nil` if more of them are left for
    /// the next turn: each is looked at under the policy, and a place may have as many children as the bus
    /// has nodes.
    private func childCount(
        of place: NodeIndex, _ progress: inout Inquiry.Progress, for viewer: inout Viewer
    ) throws(WireError) -> UInt32? {
        let counting = progress.counting
        progress.counting = nil
        guard hierarchy.contains(place), countsChildren(of: place, progress) else {
            return 0
        }
        guard !viewer.seesEverything else {
            return hierarchy[place].links.childCount
        }
        guard viewer.sees(hierarchy.path(of: place)) else {
            return 0
        }
        var count: UInt32 = 0
        var child = hierarchy.firstChild(of: place)
        // If the next child has left the place since the last turn, counting begins anew.
        if let counting, hierarchy.contains(counting.next),
            hierarchy.parent(of: counting.next) == place
        {
            count = counting.count
            child = counting.next
        }
        while child != NodeIndex.none {
            guard viewer.steps < InquiryTable.stepsPerTurn else {
                progress.counting = Inquiry.Progress.Counting(count: count, next: child)
                return nil
            }
            try viewer.spend(1)
            count += viewer.sees(hierarchy.path(of: child)) ? 1 : 0
            child = hierarchy.nextSibling(of: child)
        }
        return count
    }

    /// Whether an answer has the number of a place's children: one with changes has it only of places whose
    /// children it leaves out.
    private func countsChildren(of place: NodeIndex, _ progress: Inquiry.Progress) -> Bool {
        guard progress.hasOnlyChanges else {
            return true
        }
        return progress.lastLevel.map { hierarchy.path(of: place).depth == $0 } ?? false
    }

    private func add(
        _ key: EventName, at places: [NodeIndex],
        to progress: inout Inquiry.Progress, for viewer: inout Viewer
    ) throws(WireError) {
        var resolver = environment.resolver(resolverContext)
        while progress.next < places.count, viewer.steps < InquiryTable.stepsPerTurn {
            let place = places[progress.next]
            progress.next += 1
            let before = resolver.steps
            if hierarchy.contains(place),
                let value = treeValue(of: key, at: place, &resolver, for: &viewer)
            {
                try progress.append(value, for: &viewer)
            }
            try viewer.spend(4 + resolver.steps - before)
        }
    }

    private func add(
        _ keys: [EventName], at path: NodePath, to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        var resolver = environment.resolver(resolverContext)
        while progress.next < keys.count, viewer.steps < InquiryTable.stepsPerTurn {
            let before = resolver.steps
            let value = value(of: keys[progress.next], at: path, &resolver, for: &viewer)
            progress.next += 1
            if let value {
                try progress.append(value, for: &viewer)
            }
            try viewer.spend(4 + resolver.steps - before)
        }
    }

    private func addDifference(
        at places: [NodeIndex], to progress: inout Inquiry.Progress,
        for viewer: inout Viewer
    ) throws(WireError) {
        guard var difference = progress.difference else {
            progress.next = places.count
            return
        }
        try difference.renew(self, for: &viewer)
        // Everything may be looked at within this turn's steps, however many it began with.
        let most = max(viewer.steps + InquiryTable.stepsPerTurn / 2, InquiryTable.stepsPerTurn)
        var resolvers = difference.resolvers(self)
        while progress.next < places.count, viewer.steps < most {
            try viewer.spend(1)
            let place = places[progress.next]
            var isDone = !hierarchy.contains(place)
            if !isDone {
                var changes: [JSONValue] = []
                isDone = try difference.advance(
                    at: place, &resolvers, self, for: &viewer, untilSteps: most, &changes)
                for change in changes {
                    try progress.append(change, for: &viewer)
                }
            }
            progress.next += isDone ? 1 : 0
        }
        progress.difference = difference
    }
}
