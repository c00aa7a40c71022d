// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A connection to a Unix socket, and what the system says of it.
enum UnixSocket {
    /// Connects to the socket at a path, and returns the descriptor. Throws ``SystemError``.
    static func connect(_ path: String) throws(SystemError) -> Int32 {
        let socket = cascade_unix_stream(0)
        guard socket >= 0 else {
            throw SystemError(errno)
        }
        guard cascade_unix_connect(socket, path) == 0 else {
            let reason = errno
            close(socket)
            throw SystemError(reason)
        }
        return socket
    }

    /// Whether a process serves the socket at a path.
    static func isServed(_ path: String) -> Bool {
        do throws(SystemError) {
            close(try connect(path))
            return true
        } catch {
            return false
        }
    }
}

/// An error of the system, with its words.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    var description: String {
        String(cString: strerror(number))
    }
}
