// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What nobody handled, and what is held, for whoever asks.
extension Broker {
    var undeliveredEntries: [UndeliveredEntry] {
        undelivered.events.map { UndeliveredEntry($0) } + held.map { entry(held: $0) }
    }

    private func entry(held event: UInt32) -> UndeliveredEntry {
        let record = propagations[event]
        return UndeliveredEntry(
            id: EventID(
                session: sessions[record.origin.session], sequence: record.origin.sequence),
            name: currentName(of: event), lane: record.lane,
            origin: hierarchy.path(of: record.origin.node), when: record.startedAt,
            reason: "held", heldUntil: record.holdDeadline)
    }
}

extension UndeliveredEntry {
    fileprivate init(_ event: UndeliveredEvent) {
        self.init(
            id: event.id, name: event.name, lane: event.lane, origin: event.origin,
            payload: event.payload, when: event.endedAt,
            reason: event.isQuarantined ? "quarantined" : event.reason.name)
    }
}
