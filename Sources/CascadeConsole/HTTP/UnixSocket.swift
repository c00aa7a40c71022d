// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connection to a Unix socket, and what the system says of it.
enum UnixSocket {
    /// Connects to the socket at a path, and returns the descriptor. Throws ``SystemError``.
    static func connect(_ path: String) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError(ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else {
            throw SystemError(errno)
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
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
