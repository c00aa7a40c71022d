// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Connections to be closed because their peers broke the protocol, a little later, so that the
/// words about it get out first.
struct Expulsions {
    private struct Entry {
        var connection: ConnectionID
        var due: Instant
    }

    private static let delayMilliseconds: UInt32 = 100

    private var entries: [Entry] = []

    /// When the next connection is to be closed.
    var next: Instant? {
        entries.first?.due
    }

    mutating func add(_ connection: ConnectionID, at now: Instant) {
        entries.append(
            Entry(
                connection: connection, due: now.advanced(byMilliseconds: Self.delayMilliseconds)))
    }

    mutating func carryOut(at now: Instant) {
        while let entry = entries.first, entry.due <= now {
            entries.removeFirst()
            entry.connection.shutDown()
        }
    }
}
