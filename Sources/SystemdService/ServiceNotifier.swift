// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Tells the service manager how this process does, as sd_notify(3) says: one datagram of lines to
/// the socket that `NOTIFY_SOCKET` names, in the file system or, with `@`, outside of it.
package final class ServiceNotifier: Sendable {
    private let socket: Int32
    private let path: String

    /// The one that the environment names; `nil` if nobody wants to know.
    package static func fromEnvironment() -> ServiceNotifier? {
        getenv("NOTIFY_SOCKET").flatMap { ServiceNotifier(path: String(cString: $0)) }
    }

    /// `nil` unless the path is one that a unix socket can have.
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

    /// Sends the lines, and the descriptor with them if there is one. Returns whether they are on
    /// their way: a manager that is busy is waited for only with `waiting`.
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
    /// What a status line says; the protocol has lines, so there must be none within.
    package static func status(_ text: String) -> String {
        "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }
}
