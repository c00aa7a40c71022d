// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeService
import Glibc

/// The lock of one ipc endpoint, which one daemon at a time holds. Binding alone would steal the
/// endpoint from a running daemon.
///
/// The lock file lies beside the socket and stays when the daemon exits. A daemon that finds it
/// knows that another one served before, and that nodes may be about to attach again. Only the
/// daemon's user can open the file, since every process that can open a file can lock it.
final class EndpointLock: Sendable {
    /// Whether a daemon has served this endpoint before.
    let hasPredecessor: Bool
    private let descriptor: Int32

    /// Throws `EndpointError` naming the process that listens at the endpoint or holds its lock.
    init(socketPath: String) throws(EndpointError) {
        let path = socketPath + ".lock"
        let hadFile = access(path, F_OK) == 0
        let lock = try Self.locked(path, socketPath)
        do throws(EndpointError) {
            // A daemon whose socket was opened by the service manager holds no lock.
            if let listener = try EndpointHolder.listener(at: socketPath) {
                throw Self.error(socketPath, Self.held(by: listener))
            }
        } catch {
            close(lock)
            throw error
        }
        // For human readers of the file; the daemon never reads it.
        let text = "\(getpid())\n"
        ftruncate(lock, 0)
        _ = text.withCString { pwrite(lock, $0, strlen($0), 0) }
        hasPredecessor = hadFile
        descriptor = lock
    }

    deinit {
        close(descriptor)
    }

    /// The number of times that another process may replace the file between opening and locking it.
    private static let attemptCountMax = 8

    /// Opens and locks the file.
    private static func locked(
        _ path: String, _ socketPath: String
    ) throws(EndpointError) -> Int32 {
        for _ in 0..<attemptCountMax {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else {
                let advice =
                    errno == EACCES ? "; 'cascaded --user' serves a bus of the user's own" : ""
                throw error(
                    socketPath, "cannot open \(path): \(String(cString: strerror(errno)))\(advice)")
            }
            do throws(EndpointError) {
                if try lock(descriptor, path, socketPath) {
                    return descriptor
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw error(socketPath, "other processes keep replacing \(path)")
    }

    /// Locks an open file. Returns whether it is still the file at the path; makes it the daemon's
    /// own.
    private static func lock(
        _ descriptor: Int32, _ path: String, _ socketPath: String
    ) throws(EndpointError) -> Bool {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else {
            throw error(socketPath, "\(path) is not a regular file; remove it")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            try removeIfUsurped(file, path, socketPath)
            return false
        }
        // Release 0.1.0 created the file readable by all users.
        let isOwn = file.st_uid == geteuid() || fchown(descriptor, geteuid(), getegid()) == 0
        guard isOwn, file.st_mode & 0o7777 == 0o600 || fchmod(descriptor, 0o600) == 0 else {
            throw error(socketPath, "\(path) belongs to user \(file.st_uid); remove it")
        }
        var current = stat()
        return lstat(path, &current) == 0 && isSame(current, file)
    }

    /// Removes a lock file that a process of another user holds although it is no daemon. Throws
    /// `EndpointError` if the process may hold it.
    private static func removeIfUsurped(
        _ file: stat, _ path: String, _ socketPath: String
    ) throws(EndpointError) {
        if let listener = try EndpointHolder.listener(at: socketPath) {
            let isSelf = listener.process == getpid()
            throw error(socketPath, isSelf ? listedTwice : held(by: listener))
        }
        guard let holder = EndpointHolder.locker(of: file) else {
            throw error(socketPath, "another process holds \(path)")
        }
        guard holder.process != getpid() else {
            throw error(socketPath, listedTwice)
        }
        // The process opened the file while all users could, and keeps the lock.
        guard let user = holder.user, ![0, geteuid(), file.st_uid].contains(user) else {
            throw error(socketPath, "\(holder) holds \(path)")
        }
        guard remove(file, at: path) else {
            let reason = String(cString: strerror(errno))
            throw error(
                socketPath, "\(holder) holds \(path), which cannot be replaced: \(reason)")
        }
    }

    /// Replaces a lock file by a new one, unless another daemon has replaced it meanwhile: that
    /// daemon's file stays. Returns `false`, with the reason in errno, if it cannot be replaced.
    ///
    /// An exchange shows which file was at the path; unlink(2) would remove any. No other daemon
    /// can lock the new file before it is clear which of the two stays.
    static func remove(_ file: stat, at path: String) -> Bool {
        let new = "\(path).\(getpid())"
        unlink(new)
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            return false
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, cascade_exchange(new, path) == 0 else {
            let reason = errno
            unlink(new)
            errno = reason
            return reason == ENOENT
        }
        var former = stat()
        guard lstat(new, &former) == 0, isSame(former, file) || cascade_exchange(new, path) == 0
        else {
            return false
        }
        unlink(new)
        return true
    }

    private static func isSame(_ left: stat, _ right: stat) -> Bool {
        left.st_ino == right.st_ino && left.st_dev == right.st_dev
    }

    private static let listedTwice = "it is listed twice"

    private static func held(by listener: EndpointHolder) -> String {
        "\(listener) listens there; stop it, or choose another endpoint with --listen"
    }

    private static func error(_ socketPath: String, _ reason: String) -> EndpointError {
        EndpointError("cannot listen on ipc://\(socketPath): \(reason)")
    }
}
