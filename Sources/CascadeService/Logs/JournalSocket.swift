// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// The socket of systemd's journal. Each message is one datagram; one that is too large is passed
/// as a sealed file in memory.
///
/// The service never waits for the journal: messages that the journal does not accept at once are
/// lost, and counted.
package final class JournalSocket: Sendable {
    package static let path = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let lost = Atomic<Int>(0)

    /// Connects to the journal; `nil` if no process listens there.
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

/// One message in the native protocol of systemd's journal: fields in sequence.
///
/// A field is `NAME=value` and a line feed; a value that contains a line feed, or is not plain
/// text, is preceded by its length instead.
package struct JournalRecord: Equatable, Sendable {
    /// The field whose number finds a kind of message in the journal, and its entry in the catalog.
    package static let messageID = "MESSAGE_ID"

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a field. Names are of upper case letters, digits and underscores, and begin with a
    /// letter; other fields the journal would drop, so they are left out here.
    package mutating func append(_ name: String, _ value: String) {
        guard Self.isName(name) else {
            return
        }
        let value = Array(value.utf8)
        bytes += name.utf8
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(value.count) >> UInt64(shift)))
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else {
            return false
        }
        let isUpper = { (byte: UInt8) in UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
        return isUpper(first)
            && name.utf8.allSatisfy {
                isUpper($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || $0 == UInt8(ascii: "_")
            }
    }
}
