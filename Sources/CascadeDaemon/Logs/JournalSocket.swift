// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc
import Synchronization

/// The way to systemd's journal: one datagram a message; one that is too big for a datagram goes
/// as a sealed file in memory.
///
/// The daemon never waits for the journal: what that does not take at once is lost, and counted.
package final class JournalSocket: Sendable {
    package static let path = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let lost = Atomic<Int>(0)

    /// `nil` if nobody listens there.
    package init?(path: String = JournalSocket.path) {
        descriptor = path.withCString { cascade_datagram_connect($0) }
        guard descriptor >= 0 else {
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// Messages that the journal has not taken.
    package var lostCount: Int {
        lost.load(ordering: .relaxed)
    }

    package func send(_ record: JournalRecord) {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        var sent = Glibc.send(descriptor, record.bytes, record.bytes.count, flags)
        if sent < 0, errno == EMSGSIZE || errno == ENOBUFS {
            sent = Int(
                cascade_datagram_send_file(descriptor, record.bytes, record.bytes.count))
        }
        if sent < 0 {
            lost.wrappingAdd(1, ordering: .relaxed)
        }
    }
}
