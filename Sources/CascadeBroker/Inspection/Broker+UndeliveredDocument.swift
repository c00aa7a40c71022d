// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The document of undelivered and held events.
extension Broker {
    /// A held event with a longer payload is listed without it.
    private static let heldPayloadByteCountMax = 65_536
    /// The bytes of all that are shown in one answer.
    private static let heldPayloadsByteCountMax = 4 << 20
    /// Bytes of the payload of an event that is asked for alone; a longer one is left out.
    private static let onePayloadByteCountMax = 1 << 20

    func undeliveredEntries() -> [UndeliveredEntry] {
        let shown = Set(shownHeld)
        return traffic.undelivered.events.map { UndeliveredEntry($0) }
            + traffic.events.parking.held.map { entry(held: $0, showsPayload: shown.contains($0)) }
    }

    /// The event of this ID, as it is shown alone; `nil` if it is not kept.
    func undeliveredEntry(_ id: EventID) -> UndeliveredEntry? {
        let event = traffic.undelivered.find(id)
        var entry = event.map { UndeliveredEntry($0) }
        entry?.fields = event?.fields ?? []
        if entry == nil, let event = held(id) {
            let byteCount = traffic.events[event].message.payload.body.count
            entry = self.entry(held: event, showsPayload: byteCount <= Self.onePayloadByteCountMax)
            entry?.fields = Array(traffic.events[event].message.payload.fields)
        }
        entry?.payloadByteCountMax = Self.onePayloadByteCountMax
        return entry
    }

    /// Bytes of the held events' payloads that are shown.
    var shownHeldByteCount: Int {
        shownHeld.reduce(0) { $0 + traffic.events[$1].message.payload.body.count }
    }

    /// The held events that are shown with their payloads.
    private var shownHeld: [EventIndex] {
        var room = Self.heldPayloadsByteCountMax
        return traffic.events.parking.held.filter { event in
            let byteCount = traffic.events[event].message.payload.body.count
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
            leftOutByteCount: showsPayload ? 0 : record.message.payload.body.count,
            transformers: record.transformers,
            when: record.startedAt, reason: "held", heldUntil: record.holdDeadline)
    }

    /// The origin of the held event of this ID; `nil` where none is held.
    func origin(ofHeld id: EventID) -> NodePath? {
        held(id).map { hierarchy.path(of: traffic.events[$0].message.origin.node) }
    }

    private func held(_ id: EventID) -> EventIndex? {
        traffic.events.parking.held.first { event in
            let origin = traffic.events[event].message.origin
            return origin.sequence == id.sequence && sessions[origin.session] == id.session
        }
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
    /// The fields with which it was raised; empty in a list.
    var fields: [UInt8] = []
    /// Empty if it is not kept.
    var payload: [UInt8] = []
    /// The bytes of a payload that is not kept here.
    var leftOutByteCount = 0
    /// A longer payload is left out.
    var payloadByteCountMax = Broker.contentByteCountMax
    /// The nodes that have changed the payload.
    var transformers: [NodePath] = []
    var when: Instant
    var reason: String
    /// Until when it waits for a responder; `nil` if it does not.
    var heldUntil: Instant?

    /// Empty if it is left out.
    var shownPayload: [UInt8] {
        payload.count <= payloadByteCountMax ? payload : []
    }

    /// The members for the fields; none for fields that are too long to be shown.
    private var fieldContent: [JSONValue.Member] {
        guard fields.count <= Broker.contentByteCountMax else {
            return []
        }
        return (try? RaisedFields(fields: FieldReader(fields)))?.content ?? []
    }

    /// The bytes of the payload that cost a step. A payload that is shown alone must cost less than an answer
    /// may cost at once.
    var bytesPerStep: Int {
        payloadByteCountMax > Broker.contentByteCountMax ? 64 : 16
    }

    /// `nil` if it began at a hidden place. A payload that a hidden node has changed is left out.
    func json(at clock: WallClock, for viewer: inout Viewer) -> JSONValue? {
        guard let origin = viewer.place(origin) else {
            return nil
        }
        let isSeen = viewer.sees(.places(transformers))
        let payload = isSeen ? shownPayload : []
        let leftOut = isSeen ? leftOutByteCount + self.payload.count - payload.count : 0
        let text = String(validating: payload, as: UTF8.self)
        let beginning = JSONValue.memberList([
            "id": .text(id),
            "name": .text(name),
            "lane": .string(lane.name),
            "origin": origin,
        ])
        let end = JSONValue.memberList([
            // A payload that is not JSON is shown as text.
            "payload": payload.isEmpty
                ? nil : text.map { (try? JSONValue(parsing: $0)) ?? .string($0) },
            "leftOutBytes": leftOut > 0 ? .integer(leftOut) : nil,
            "when": .text(clock.time(when)),
            "reason": .string(reason),
            "heldUntil": heldUntil.map { .text(clock.time($0)) },
        ])
        return .object(beginning + (isSeen ? fieldContent : []) + end)
    }
}
