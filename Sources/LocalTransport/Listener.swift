// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A listening unix socket, bound here or inherited from the service manager. Confined to one thread.
package final class Listener {
    /// The state of the file at the socket's path.
    package enum FileState: Equatable, Sendable {
        /// The socket itself, or the socket has no file.
        case present

        /// Nothing: no new peer can connect.
        case removed

        /// Another file: new peers reach another socket, or none.
        case replaced
    }

    enum Accepted {
        case connection(Int32, PeerCredentials)
        case none

        /// A connection was closed at once, because the process or the system is out of descriptors.
        case exhausted

        /// Not even that was possible: the listener stays readable.
        case stuck

        /// Another error, which may stay as well.
        case failed(SystemError)
    }

    private struct FileID: Equatable {
        let device: dev_t
        let inode: ino_t

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                return nil
            }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    let descriptor: Int32

    /// `nil` if the socket has no path in the file system.
    package let path: String?
    private let file: FileID?
    private let removesFile: Bool

    /// Whether the socket is known to be shut down. It accepts no connections, and never will.
    var hasEnded = false

    /// The error of the last accept(2) other than for descriptors; `nil` after a connection was accepted.
    var acceptFailure: Int32?

    /// A reserved descriptor, released to accept and close a connection when no other descriptor is
    /// left.
    private var spare: Int32

    /// Listens at a path; `@` begins an abstract name. An existing file is an error: the owner of the
    /// path removes it. The file is removed with the listener if it is still the same. The kernel
    /// holds up to `backlog` connections until they are accepted.
    package convenience init(path: String, backlog: Int32 = 4_096) throws(SystemError) {
        let descriptor = cascade_unix_stream(1)
        guard descriptor >= 0 else {
            throw SystemError("create a socket")
        }
        guard cascade_unix_bind(descriptor, path) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            let error = SystemError("listen on \(path)")
            close(descriptor)
            throw error
        }
        self.init(descriptor, path.hasPrefix("@") ? nil : path, removesFile: true)
    }

    /// Takes over a listening socket, such as one that systemd passes. Its file is never removed.
    package convenience init(inherited descriptor: Int32) throws(SystemError) {
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) >= 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        else {
            throw SystemError("use an inherited socket")
        }
        var path = [CChar](repeating: 0, count: Int(cascade_unix_path_max) + 1)
        let length = cascade_listening_path(descriptor, &path, path.count)
        let bytes = path[..<Int(length)].map { UInt8(bitPattern: $0) }
        self.init(
            descriptor, length > 0 ? String(decoding: bytes, as: UTF8.self) : nil,
            removesFile: false)
    }

    private init(_ descriptor: Int32, _ path: String?, removesFile: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.removesFile = removesFile
        file = path.flatMap { FileID($0) }
        spare = Self.openSpare()
    }

    deinit {
        if removesFile, let path, fileState == .present {
            unlink(path)
        }
        close(descriptor)
        if spare >= 0 {
            close(spare)
        }
    }

    /// Whether new peers reach this socket at its path.
    package var fileState: FileState {
        guard let path else {
            return .present
        }
        guard let current = FileID(path) else {
            return .removed
        }
        return current == file ? .present : .replaced
    }

    // MARK: - Accepting

    /// Whether a process that shares the socket has shut it down (shutdown(2)). It is readable from then on,
    /// and accept(2) fails with EAGAIN.
    var isShutDown: Bool {
        // POLLRDHUP, which Glibc's module leaves out.
        let hangUp: Int16 = 0x2000
        var item = pollfd(fd: descriptor, events: hangUp, revents: 0)
        return poll(&item, 1, 0) > 0 && item.revents & hangUp != 0
    }

    /// Accepts a connection that waits.
    func accept() -> Accepted {
        while true {
            let connection = cascade_accept(descriptor)
            if connection >= 0 {
                if spare < 0 {
                    spare = Self.openSpare()
                }
                if let credentials = PeerCredentials(of: connection) {
                    return .connection(connection, credentials)
                }
                close(connection)
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return closeOne()
            case EAGAIN: return .none
            default: return .failed(SystemError("accept a connection"))
            }
        }
    }

    /// Closes a waiting connection, which otherwise would keep the listener ready for ever. The peer
    /// connects again.
    private func closeOne() -> Accepted {
        if spare >= 0 {
            close(spare)
        }
        let connection = cascade_accept(descriptor)
        let error = errno
        if connection >= 0 {
            close(connection)
        }
        spare = Self.openSpare()
        guard connection < 0 else {
            return .exhausted
        }
        return error == EAGAIN ? .none : .stuck
    }

    private static func openSpare() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}
