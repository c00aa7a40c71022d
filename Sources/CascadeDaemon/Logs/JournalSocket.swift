// SPDX-License-Identifier: Apache-2.0

import CLinux
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
        descriptor = cascade_datagram_socket()
        guard descriptor >= 0, cascade_unix_connect(descriptor, path) == 0 else {
            return nil
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Messages that the journal has not taken.
    package var lostCount: Int {
        lost.load(ordering: .relaxed)
    }

    package func send(_ record: JournalRecord) {
        let bytes = record.bytes
        var isSent = cascade_datagram_send(descriptor, nil, bytes, bytes.count, -1, 1) >= 0
        if !isSent, errno == EMSGSIZE || errno == ENOBUFS {
            isSent = sendAsFile(bytes)
        }
        if !isSent {
            lost.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Sends the bytes as a file in memory that can no longer change.
    ///
    /// Source: the native journal protocol of systemd.
    private func sendAsFile(_ bytes: [UInt8]) -> Bool {
        let file = cascade_memfd_create("cascade", 1)
        guard file >= 0 else {
            return false
        }
        defer { close(file) }
        return write(file, bytes, bytes.count) == bytes.count && cascade_memfd_seal(file) == 0
            && cascade_datagram_send(descriptor, nil, nil, 0, file, 1) >= 0
    }
}
