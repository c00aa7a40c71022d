// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// What is around a place, for a bus that stands there: the names of responders above it, and those of
/// subscribers at and below it. The answer names no places; it is for sessions that may stand for the bus,
/// and for those from which no place is hidden.
extension Broker {
    /// The largest number of responders and of subscriptions in a summary.
    private static let summaryCountMax = 1_024

    func summaryDocument(
        _ path: NodePath, by peer: PeerID, for viewer: inout Viewer
    ) throws(WireError) -> JSONValue {
        guard viewer.seesEverything || mayAct(.uplink, path, peer) else {
            throw WireError(.denied, denial(.uplink, path, peer))
        }
        guard let place = hierarchy.find(path) else {
            throw WireError(.noSuchNode, "there is no node at '\(path)'")
        }
        let above = try responders(above: place, &viewer)
        let below = try subscriptions(below: place, &viewer)
        let isMore = max(above.count, below.count) > Self.summaryCountMax
        return .document(
            "summary",
            [
                "above": .array(above.prefix(Self.summaryCountMax).map(\.document)),
                "below": .array(below.prefix(Self.summaryCountMax).map(\.document)),
                "more": isMore ? .bool(true) : nil,
            ])
    }

    // MARK: - Above

    private struct RespondedName: Hashable {
        var lane: Lane
        /// The name; `nil` for every name.
        var name: EventName?
        /// When a responder to the name came last, as a number that grows.
        var turn: UInt64 = 0

        var document: JSONValue {
            .members([
                "lane": .string("\(lane)"), "name": .string(name?.description ?? "*"),
                "turn": .integer(turn),
            ])
        }
    }

    /// The names to which available nodes above a place respond, by lanes and names.
    private func responders(
        above place: NodeIndex, _ viewer: inout Viewer
    ) throws(WireError) -> [RespondedName] {
        var turns: [RespondedName: UInt64] = [:]
        var current = place
        while current != Hierarchy.root {
            current = hierarchy.parent(of: current)
            let record = hierarchy[current]
            try viewer.spend(1 + record.responders.count)
            guard record.isAvailable else {
                continue
            }
            let turn = hierarchy.turn(of: current)
            for responder in record.responders {
                let name = names.name(responder.name)
                for lane in Lane.allCases where responder.kind.sees(lane) {
                    let responded = RespondedName(lane: lane, name: name)
                    turns[responded] = max(turns[responded] ?? 0, turn)
                }
            }
        }
        try viewer.spend(turns.count)
        return turns.map { RespondedName(lane: $0.lane, name: $0.name, turn: $1) }.sorted {
            ($0.lane.rawValue, $0.name?.description ?? "") < (
                $1.lane.rawValue, $1.name?.description ?? ""
            )
        }
    }

    // MARK: - Below

    private struct SubscribedName {
        var name: EventName
        /// The greatest level of a subscriber.
        var level: Int
        /// When a subscriber of that level was activated last, as a number that grows.
        var turn: UInt64

        var document: JSONValue {
            .members([
                "name": .string(name.description), "level": .integer(level), "turn": .integer(turn),
            ])
        }
    }

    /// The names to which active nodes at and below a place subscribe.
    private func subscriptions(
        below place: NodeIndex, _ viewer: inout Viewer
    ) throws(WireError) -> [SubscribedName] {
        let subscribers = traffic.publications.subscribers
        try viewer.spend(subscribers.count)
        return subscribers.greatestLevels(below: place, in: hierarchy).compactMap { found in
            names.name(found.name).map {
                SubscribedName(name: $0, level: found.level, turn: found.rank)
            }
        }.sorted { $0.name.description < $1.name.description }
    }
}
