// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What nobody handled, and what is held, for whoever asks.
///
/// The broker has no payloads of what is held. It asks for them for each answer, rather than keep
/// them a second time.
extension Broker {
    /// A held event with a longer payload is listed without it.
    private static let heldPayloadByteCountMax = 65_536
    /// The bytes of all that are shown in one answer.
    private static let heldPayloadsByteCountMax = 4 << 20

    func undeliveredEntries(_ payloads: [EventIndex: [UInt8]]) -> [UndeliveredEntry] {
        undelivered.events.map { UndeliveredEntry($0) }
            + held.map { entry(held: $0, payload: payloads[$0]) }
    }

    /// Asks for the payloads that the answer shows. Returns `false` if it shows none, or has them.
    mutating func awaitsHeldPayloads(_ inquiry: Inquiry) -> Bool {
        guard case .undelivered = inquiry.query.subject, inquiry.heldPayloads.isEmpty else {
            return false
        }
        let shown = shownHeld
        guard !shown.isEmpty else {
            return false
        }
        heldQueries.append(HeldQuery(inquiry: inquiry, awaitedCount: shown.count))
        for event in shown {
            effects.append(.examine(propagations[event].payload, .held(event)))
        }
        return true
    }

    /// The held events whose payloads are shown.
    private var shownHeld: [EventIndex] {
        var room = Self.heldPayloadsByteCountMax
        return held.filter { event in
            let byteCount = Int(propagations[event].payload.byteCount)
            guard byteCount <= min(room, Self.heldPayloadByteCountMax) else {
                return false
            }
            room -= byteCount
            return true
        }
    }

    /// A payload has been looked into. They come in the order in which they were asked for.
    mutating func shownHeld(_ event: EventIndex, payload: [UInt8]) {
        guard !heldQueries.isEmpty else {
            return
        }
        heldQueries[0].inquiry.heldPayloads[event] = payload
        heldQueries[0].awaitedCount -= 1
        guard heldQueries[0].awaitedCount == 0 else {
            return
        }
        let inquiry = heldQueries.removeFirst().inquiry
        guard isWanted(inquiry) else {
            return
        }
        do throws(WireError) {
            try begin(inquiry)
        } catch {
            refuse(inquiry, error)
        }
    }

    private func entry(held event: EventIndex, payload: [UInt8]?) -> UndeliveredEntry {
        let record = propagations[event]
        return UndeliveredEntry(
            id: EventID(
                session: sessions[record.origin.session], sequence: record.origin.sequence),
            name: currentName(of: event), lane: record.lane,
            origin: hierarchy.path(of: record.origin.node),
            payload: payload ?? [],
            when: record.startedAt, reason: "held", heldUntil: record.holdDeadline)
    }

    /// The origin of the held event of this ID; `nil` where none is held.
    func origin(ofHeld id: EventID) -> NodePath? {
        let event = held.first { event in
            let origin = propagations[event].origin
            return origin.sequence == id.sequence && sessions[origin.session] == id.session
        }
        return event.map { hierarchy.path(of: propagations[$0].origin.node) }
    }
}

/// A query that waits for the payloads of held events.
struct HeldQuery: Sendable {
    var inquiry: Inquiry
    /// How many payloads are still to come.
    var awaitedCount: Int
}

extension UndeliveredEntry {
    fileprivate init(_ event: UndeliveredEvent) {
        self.init(
            id: event.id, name: event.name, lane: event.lane, origin: event.origin,
            payload: event.payload, when: event.endedAt,
            reason: event.isQuarantined ? "quarantined" : event.reason.name)
    }
}
