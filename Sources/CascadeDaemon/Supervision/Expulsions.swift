// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import CascadeBroker
import Glibc

/// Connections to be closed because their peers broke the protocol, a little later, so that the
/// words about it get out first.
///
/// libzmq has no call to close one connection of a socket. Shutting its descriptor down has that
/// effect; whose the descriptor is then is checked, because numbers are used again.
struct Expulsions {
    private struct Entry {
        var descriptor: Int32
        var processID: UInt32
        var due: Instant
    }

    private static let delayMilliseconds: UInt32 = 100

    private var entries: [Entry] = []

    /// When the next connection is to be closed.
    var next: Instant? {
        entries.first?.due
    }

    mutating func add(descriptor: Int32, processID: UInt32, at now: Instant) {
        entries.append(
            Entry(
                descriptor: descriptor, processID: processID,
                due: now.advanced(byMilliseconds: Self.delayMilliseconds)))
    }

    /// A new connection came by this descriptor, so the old one has closed by itself.
    mutating func forget(descriptor: Int32) {
        entries.removeAll { $0.descriptor == descriptor }
    }

    mutating func carryOut(at now: Instant) {
        while let entry = entries.first, entry.due <= now {
            entries.removeFirst()
            var userID = uid_t()
            var groupID = gid_t()
            var processID = pid_t()
            let known = cascade_peer_credentials(
                entry.descriptor, &userID, &groupID, &processID)
            if known == 0, UInt32(bitPattern: processID) == entry.processID {
                shutdown(entry.descriptor, Int32(SHUT_RDWR))
            }
        }
    }
}
