// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A sender of status notifications to the service manager (sd_notify(3)). A notification is one
/// datagram of lines to the socket in `NOTIFY_SOCKET`, in the file system or, with `@`, in the abstract
/// namespace.
package final class ServiceNotifier: Sendable {
    private let socket: Int32
    private let path: String

    /// Returns the notifier for `NOTIFY_SOCKET`; `nil` without that variable.
    package static func fromEnvironment() -> ServiceNotifier? {
        environmentVariable("NOTIFY_SOCKET").flatMap { ServiceNotifier(path: $0) }
    }

    /// Creates a notifier; `nil` unless a unix socket can have the path.
    package init?(path: String) {
        guard path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count > 1,
            path.utf8.count <= Int(cascade_unix_path_max)
        else {
            return nil
        }
        socket = cascade_datagram_socket()
        guard socket >= 0 else {
            return nil
        }
        self.path = path
    }

    deinit {
        close(socket)
    }

    /// Sends the lines, with an optional descriptor. With `waiting`, waits for a busy service manager.
    /// Returns whether the datagram was sent.
    @discardableResult
    package func send(
        _ lines: [String], descriptor: Int32? = nil, waiting: Bool = true
    ) -> Bool {
        let text = lines.joined(separator: "\n")
        return cascade_datagram_send(
            socket, path, text, text.utf8.count, descriptor ?? -1, waiting ? 0 : 1) >= 0
    }
}

extension ServiceNotifier {
    /// Returns a status line. Line breaks in the text become spaces, because they separate
    /// notifications.
    package static func status(_ text: String) -> String {
        "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// The interval of the watchdog notifications.
package enum WatchdogPeriod {
    /// Returns half of `WATCHDOG_USEC`, in nanoseconds; `nil` if no watchdog is configured, or it is for
    /// another process (sd_watchdog_enabled(3)).
    package static func halfFromEnvironment() -> UInt64? {
        half(
            of: environmentVariable("WATCHDOG_USEC"), for: environmentVariable("WATCHDOG_PID"),
            in: getpid())
    }

    /// Returns half of these values of `WATCHDOG_USEC` and `WATCHDOG_PID`, in nanoseconds; `nil` if they
    /// are for another process or invalid.
    package static func half(
        of microseconds: String?, for owner: String?, in process: Int32
    ) -> UInt64? {
        guard let microseconds = microseconds.flatMap({ UInt64($0) }), microseconds > 0,
            owner.map({ $0 == "\(process)" }) ?? true
        else {
            return nil
        }
        return min(microseconds, UInt64(Int64.max) / 1_000) * 500
    }
}
