// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The lock of one ipc endpoint, which one daemon at a time holds: binding alone would steal the
/// endpoint from a live daemon.
///
/// The lock file lies beside the socket and stays there when the daemon ends, however it ends. So a
/// daemon that finds it knows that there was one before, and that nodes may be on their way back.
/// Only the daemon's user can open the file: a process that can open a file can lock it.
final class EndpointLock: Sendable {
    /// Whether a daemon has served this endpoint before.
    let hasPredecessor: Bool
    private let descriptor: Int32

    /// Throws ``EndpointError`` naming the process that listens at the endpoint or holds its lock.
    init(socketPath: String) throws(EndpointError) {
        let path = socketPath + ".lock"
        let hadFile = access(path, F_OK) == 0
        let lock = try Self.locked(path, socketPath)
        do throws(EndpointError) {
            // A daemon whose socket was opened by the service manager holds no lock.
            if let listener = try EndpointHolder.listener(at: socketPath) {
                throw Self.error(socketPath, "\(listener) listens there")
            }
        } catch {
            close(lock)
            throw error
        }
        // For people who look at the file; the daemon never reads it.
        let text = "\(getpid())\n"
        ftruncate(lock, 0)
        _ = text.withCString { pwrite(lock, $0, strlen($0), 0) }
        hasPredecessor = hadFile
        descriptor = lock
    }

    deinit {
        close(descriptor)
    }

    /// How often the file may be replaced by another process between opening and locking it.
    private static let attemptCountMax = 8

    /// Opens and locks the file.
    private static func locked(
        _ path: String, _ socketPath: String
    ) throws(EndpointError) -> Int32 {
        for _ in 0..<attemptCountMax {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else {
                throw error(socketPath, "cannot open \(path): \(String(cString: strerror(errno)))")
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

    /// Locks an open file; returns whether it is the file at the path, and the daemon's own.
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
        // A file of release 0.1.0 could be opened by all users.
        let isOwn = file.st_uid == geteuid() || fchown(descriptor, geteuid(), getegid()) == 0
        guard isOwn, file.st_mode & 0o7777 == 0o600 || fchmod(descriptor, 0o600) == 0 else {
            throw error(socketPath, "\(path) belongs to user \(file.st_uid); remove it")
        }
        var current = stat()
        return lstat(path, &current) == 0 && current.st_ino == file.st_ino
            && current.st_dev == file.st_dev
    }

    /// Removes a lock file that a process of another user holds without being the daemon there.
    /// Throws ``EndpointError`` if its holder may hold it.
    private static func removeIfUsurped(
        _ file: stat, _ path: String, _ socketPath: String
    ) throws(EndpointError) {
        if let listener = try EndpointHolder.listener(at: socketPath) {
            let isSelf = listener.process == getpid()
            throw error(socketPath, isSelf ? listedTwice : "\(listener) listens there")
        }
        guard let holder = EndpointHolder.locker(of: file) else {
            throw error(socketPath, "another process holds \(path)")
        }
        guard holder.process != getpid() else {
            throw error(socketPath, listedTwice)
        }
        // It opened the file while that was open to all users, and keeps it.
        guard let user = holder.user, ![0, geteuid(), file.st_uid].contains(user) else {
            throw error(socketPath, "\(holder) holds \(path)")
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw error(socketPath, "\(holder) holds \(path), which cannot be removed")
        }
    }

    private static let listedTwice = "it is listed twice"

    private static func error(_ socketPath: String, _ reason: String) -> EndpointError {
        EndpointError("cannot listen on ipc://\(socketPath): \(reason)")
    }
}
