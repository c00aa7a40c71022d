// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The document of undelivered and held events.
extension Broker {
    /// A held event with a longer payload is listed without it.
    private static let heldPayloadByteCountMax = 65_536
    /// The bytes of all that are shown in one answer.
    private static let heldPayloadsByteCountMax = 4 << 20

    func undeliveredEntries() -> [UndeliveredEntry] {
        let shown = Set(shownHeld)
        return traffic.undelivered.events.map { UndeliveredEntry($0) }
            + traffic.events.parking.held.map { entry(held: $0, showsPayload: shown.contains($0)) }
    }

    /// Bytes of the held events' payloads that are shown.
    var shownHeldByteCount: Int {
        shownHeld.reduce(0) { $0 + traffic.events[$1].message.payload.body.count }
    }

    /// The held events that are shown with their payloads.
    private var shownHeld: [EventIndex] {
        var room = Self.heldPayloadsByteCountMax
        return traffic.events.parking.held.filter { event in
            let byteCount = traffic.events[event].message.payload.count
            guard byteCount <= min(room, Self.heldPayloadByteCountMax) else {
                return false
            }
            room -= byteCount
            return true
        }
    }

    private func entry(held event: EventIndex, showsPayload: Bool) -> UndeliveredEntry {
        let record = traffic.events[event]
        return UndeliveredEntry(
            id: EventID(
                session: sessions[record.message.origin.session],
                sequence: record.message.origin.sequence),
            name: currentName(of: event), lane: record.lane,
            origin: hierarchy.path(of: record.message.origin.node),
            payload: showsPayload ? Array(record.message.payload.body) : [],
            transformers: record.transformers,
            when: record.startedAt, reason: "held", heldUntil: record.holdDeadline)
    }

    /// The origin of the held event of this ID; `nil` where none is held.
    func origin(ofHeld id: EventID) -> NodePath? {
        let event = traffic.events.parking.held.first { event in
            let origin = traffic.events[event].message.origin
            return origin.sequence == id.sequence && sessions[origin.session] == id.session
        }
        return event.map { hierarchy.path(of: traffic.events[$0].message.origin.node) }
    }
}

extension UndeliveredEntry {
    fileprivate init(_ event: UndeliveredEvent) {
        self.init(
            id: event.id, name: event.name, lane: event.lane, origin: event.origin,
            payload: event.payload, transformers: event.transformers, when: event.endedAt,
            reason: event.isQuarantined ? "quarantined" : event.reason.name)
    }
}

/// An undelivered or held event, as shown to an inspector.
struct UndeliveredEntry: Sendable {
    var id: EventID
    var name: EventName
    var lane: Lane
    var origin: NodePath
    /// Empty if it is not kept.
    var payload: [UInt8] = []
    /// The nodes that have changed the payload.
    var transformers: [NodePath] = []
    var when: Instant
    var reason: String
    /// Until when it waits for a responder; `nil` if it does not.
    var heldUntil: Instant?

    /// `nil` if it began at a hidden place. A payload that a hidden node has changed is left out.
    func json(at clock: WallClock, for viewer: inout Viewer) -> JSONValue? {
        guard let origin = viewer.place(origin) else {
            return nil
        }
        let payload = viewer.sees(.places(transformers)) ? payload : []
        let isLeftOut = payload.count > Broker.contentByteCountMax
        let text = isLeftOut ? nil : String(validating: payload, as: UTF8.self)
        return .members([
            "id": .text(id),
            "name": .text(name),
            "lane": .string(lane.name),
            "origin": origin,
            // A payload that is not JSON is shown as text.
            "payload": payload.isEmpty
                ? nil : text.map { (try? JSONValue(parsing: $0)) ?? .string($0) },
            "leftOutBytes": isLeftOut ? .integer(payload.count) : nil,
            "when": .text(clock.time(when)),
            "reason": .string(reason),
            "heldUntil": heldUntil.map { .text(clock.time($0)) },
        ])
    }
}
