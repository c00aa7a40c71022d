// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The latest monitor events, except those of events and publications, which are in the trace ring,
/// as far back as there is room.
struct MonitorEventRing: Sendable {
    /// Most entries are never read, so entries of the log are stored unchanged.
    enum Entry: Sendable {
        case logged(LogEntry, at: Instant, NodePath?)
        case other(MonitorEvent)
    }

    private var ring = SharedRing<Entry>()

    var count: Int {
        ring.count
    }

    /// - Parameter account: The account that caused the event.
    mutating func insert(
        _ entry: Entry, by account: AccountIndex, limit: UInt32, _ accounts: inout AccountTable
    ) {
        if let place = ring.append(for: account, in: .monitorEvents, limit: limit, &accounts, entry)
        {
            ring[place] = entry
        }
    }

    /// Holds to a limit that was lowered.
    mutating func shrink(to limit: UInt32, _ accounts: inout AccountTable) {
        ring.shrink(to: limit, .monitorEvents, &accounts)
        ring.compact()
    }

    /// The monitor events, the oldest first.
    var all: [MonitorEvent] {
        ring.elements.map { entry in
            switch entry {
            case .logged(let entry, let instant, let path):
                var monitorEvent = MonitorEvent(of: entry)
                monitorEvent.when = instant
                monitorEvent.path = path ?? monitorEvent.path
                return monitorEvent
            case .other(let monitorEvent): return monitorEvent
            }
        }
    }
}
