// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How the daemon writes its log.
package enum LogFormat: String, CaseIterable, Sendable {
    /// As whatever standard error is connected to wants it.
    case auto
    /// To systemd's journal, with all fields.
    case journal
    /// For people, with the time.
    case text
    /// With the priority in front, `<4>`, as systemd reads what its services write.
    case prefixed

    /// What `auto` comes to: the journal if standard error leads there, text otherwise.
    ///
    /// - Parameter journalStream: systemd's `JOURNAL_STREAM`, the device and inode of the stream
    ///   that leads to the journal: a daemon whose standard error was redirected since has another.
    package func resolved(journalStream: String?) -> LogFormat {
        guard self == .auto else {
            return self
        }
        var status = stat()
        guard let journalStream, fstat(STDERR_FILENO, &status) == 0,
            journalStream == "\(status.st_dev):\(status.st_ino)"
        else {
            return .text
        }
        return .journal
    }
}
