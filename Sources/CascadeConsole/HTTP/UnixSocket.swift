// SPDX-License-Identifier: Apache-2.0

import CLinux
import Cascade
import Glibc

/// A connection to a Unix socket, and what the system says of it.
enum UnixSocket {
    /// Connects to the socket at a path, and returns the descriptor. Throws ``ErrorNumber``.
    static func connect(_ path: String) throws(ErrorNumber) -> Int32 {
        let socket = cascade_unix_stream(0)
        guard socket >= 0 else {
            throw ErrorNumber(errno)
        }
        guard cascade_unix_connect(socket, path) == 0 else {
            let reason = errno
            close(socket)
            throw ErrorNumber(reason)
        }
        return socket
    }

    /// Whether a process serves the socket at a path.
    static func isServed(_ path: String) -> Bool {
        do throws(ErrorNumber) {
            close(try connect(path))
            return true
        } catch {
            return false
        }
    }
}
