// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The events under way: who has each of them, since when, and until when.
extension Broker {
    /// The most that are shown: the oldest.
    private static let underWayCountMax = 64

    /// Throws if the answer takes too many steps.
    func underWayDocument(for viewer: inout Viewer) throws(WireError) -> JSONValue {
        try viewer.spend(traffic.events.count / 16)
        var shown: [JSONValue] = []
        for event in oldestEvents(for: &viewer) {
            try viewer.spend(8)
            shown.append(underWayEntry(event, for: &viewer))
        }
        return .document(
            "underWay",
            ["count": .integer(traffic.events.count), "underWay": .array(shown)])
    }

    /// The oldest events that the viewer may see and that are not held, the oldest first.
    private func oldestEvents(for viewer: inout Viewer) -> [EventIndex] {
        var oldest: [(startedAt: Instant, event: EventIndex)] = []
        for event in traffic.events.indices where !traffic.events[event].isParked(.held) {
            let candidate = (traffic.events[event].startedAt, event)
            if oldest.count >= Self.underWayCountMax, let last = oldest.last, last <= candidate {
                continue
            }
            guard viewer.sees(hierarchy.path(of: traffic.events[event].message.origin.node)) else {
                continue
            }
            let place = oldest.firstIndex { candidate < $0 } ?? oldest.count
            oldest.insert(candidate, at: place)
            if oldest.count > Self.underWayCountMax {
                oldest.removeLast()
            }
        }
        return oldest.map(\.event)
    }

    private func underWayEntry(_ event: EventIndex, for viewer: inout Viewer) -> JSONValue {
        let record = traffic.events[event]
        let origin = record.message.origin
        var holder: NodePath?
        var since = record.startedAt
        if let delivery = record.stage.visit, traffic.deliveries.contains(delivery) {
            holder = hierarchy.path(of: traffic.deliveries[delivery].node)
            since = traffic.deliveries[delivery].sentAt
        }
        let id = EventID(session: sessions[origin.session], sequence: origin.sequence)
        return .members([
            "id": .text(id),
            "name": .text(currentName(of: event)),
            "lane": .string(record.lane.name),
            "origin": viewer.place(hierarchy.path(of: origin.node)),
            "by": viewer.place(holder),
            "begun": .text(wallClock.time(record.startedAt)),
            "since": .text(wallClock.time(since)),
            "deadline": deadlines.instant(of: record.deadline).map { .text(wallClock.time($0)) },
        ])
    }
}

extension Stage {
    /// The visit that a node has; `nil` if none has one.
    fileprivate var visit: DeliveryIndex? {
        switch self {
        case .visiting(let delivery), .revoked(let delivery, _): delivery
        case .writing, .following, .moving, .queued, .rejected, .parked: nil
        }
    }
}
