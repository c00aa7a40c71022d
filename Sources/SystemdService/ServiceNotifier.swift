// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A sender of status notifications to the service manager, as in sd_notify(3): one datagram of
/// lines to the socket in `NOTIFY_SOCKET`, in the file system or, with `@`, in the abstract
/// namespace.
package final class ServiceNotifier: Sendable {
    private let socket: Int32
    private let path: String

    /// Returns the notifier for `NOTIFY_SOCKET`; `nil` without that variable.
    package static func fromEnvironment() -> ServiceNotifier? {
        getenv("NOTIFY_SOCKET").flatMap { ServiceNotifier(path: String(cString: $0)) }
    }

    /// Returns `nil` unless a unix socket can have the path.
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

    /// Sends the lines, with a descriptor if there is one. With `waiting`, waits for a busy service
    /// manager. Returns whether the datagram was sent.
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
    /// Returns a status line. Newlines in the text become spaces, because they separate
    /// notifications.
    package static func status(_ text: String) -> String {
        "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }
}
