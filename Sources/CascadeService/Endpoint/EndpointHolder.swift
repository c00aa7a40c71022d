// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Glibc

/// The process that listens at a unix socket or holds the lock of a file, according to the kernel.
package struct EndpointHolder: CustomStringConvertible {
    /// 0 for a process of another PID namespace.
    package let process: pid_t
    /// The process's user; `nil` if the kernel does not report it.
    package let user: uid_t?
    /// The name of its program; `nil` if the kernel does not report it.
    private let program: String?

    private init(_ process: pid_t) {
        self.process = process
        // The owner of the folder is not the user: it is root for a process that cannot be traced.
        let path = "/proc/\(process)/status"
        let bytes = (try? TextFile.readBytes(path, byteCountMax: 1 << 16)) ?? []
        // The name that a program gives itself need not be UTF-8, and must not hide its user.
        let status = String(decoding: bytes, as: UTF8.self)
        let lines = status.split(separator: "\n").map { $0.split(separator: "\t") }
        user = lines.first { $0.first == "Uid:" }?.dropFirst().first.flatMap { uid_t($0) }
        // A program chooses its name, which may contain escape sequences for a terminal.
        program = lines.first { $0.first == "Name:" }?.dropFirst().first.map { name in
            String(name.unicodeScalars.filter { " "..."~" ~= $0 }.map(Character.init))
        }
    }

    /// For example `cascaded (process 712 of user 991)`.
    package var description: String {
        guard process > 0 else {
            return "a process of another PID namespace"
        }
        guard let user, let program else {
            let hasExited = kill(process, 0) != 0 && errno == ESRCH
            return hasExited ? "a child of the exited process \(process)" : "process \(process)"
        }
        return "\(program) (process \(process) of user \(user))"
    }

    /// The process that listens at a unix socket; `nil` if none does. Throws ``EndpointError`` if
    /// that cannot be determined.
    ///
    /// Source: unix(7), SO_PEERCRED: the credentials are those of the call of listen(2).
    package static func listener(at socketPath: String) throws(EndpointError) -> Self? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            throw EndpointError("cannot open a socket: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard cascade_unix_connect(descriptor, socketPath) != 0 else {
            return listener(of: descriptor)
        }
        switch errno {
        case ENOENT, ECONNREFUSED:
            return nil
        case EAGAIN, EPROTOTYPE:
            // Its queue is full, or it is not a stream socket; either way a process holds it.
            return Self(0)
        default:
            throw EndpointError(
                "cannot find out which process listens at \(socketPath): "
                    + "\(String(cString: strerror(errno))); remove it if none does")
        }
    }

    /// The process that listens at the other end of a connected socket.
    package static func listener(of descriptor: Int32) -> Self {
        var userID = uid_t()
        var groupID = gid_t()
        var process = pid_t()
        _ = cascade_peer_credentials(descriptor, &userID, &groupID, &process)
        return Self(process)
    }

    /// The process that has locked a file with flock(2); `nil` if the kernel does not report it.
    package static func locker(of file: stat) -> Self? {
        let text = (try? TextFile.read("/proc/locks", byteCountMax: 1 << 24)) ?? ""
        let locks = text.split(separator: "\n").compactMap { FileLock($0) }
        let ofFile = locks.filter { $0.inode == UInt64(file.st_ino) }
        // On some file systems stat(2) reports another device than /proc/locks.
        let lock = ofFile.first { $0.device == deviceText(file.st_dev) } ?? ofFile.first
        return lock.map { Self($0.process) }
    }

    /// A device in the notation of `/proc/locks`: major and minor number, two hex digits each at
    /// least.
    ///
    /// Source: makedev(3); glibc's `bits/sysmacros.h` defines the layout of a `dev_t`.
    private static func deviceText(_ device: dev_t) -> String {
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        return [major, minor].map { number in
            let digits = String(number, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}

/// A line of `/proc/locks`, as proc_locks(5) describes it:
/// `1: FLOCK  ADVISORY  WRITE 712 fe:01:1311 0 EOF`.
private struct FileLock {
    let process: pid_t
    let device: String
    let inode: UInt64

    /// `nil` for a lock of another kind, and for a process that waits for one.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 6, words[1] == "FLOCK", let process = pid_t(words[4]) else {
            return nil
        }
        let place = words[5].split(separator: ":")
        guard place.count == 3, let inode = UInt64(place[2]) else {
            return nil
        }
        self.process = process
        device = place[0] + ":" + place[1]
        self.inode = inode
    }
}

/// The reason why an endpoint cannot be served, as one sentence.
package struct EndpointError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
