// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJournal
import CascadeService
import Glibc

/// Files and folders that only root and the daemon's user may write and, if they are secret, read:
/// policy, keys and the journal.
enum GuardedFile {
    enum Kind {
        /// Only the daemon's user and root may write it.
        case trusted
        /// Only the daemon's user and root may read or write it.
        case secret
    }

    private static let byteCountMax = 16 << 20

    /// Reads a whole file of UTF-8.
    static func read(_ path: String, _ kind: Kind = .trusted) throws(GuardedFileError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw GuardedFileError(path, errorNumber: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw GuardedFileError(path, errorNumber: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GuardedFileError(path, "it is not a regular file")
        }
        try check(status, path, kind)
        do throws(TextFileError) {
            return try TextFile.read(descriptor, byteCountMax: byteCountMax)
        } catch {
            throw GuardedFileError(path, error)
        }
    }

    /// The names in a folder that end in `suffix`, sorted; `nil` if the path is not a folder.
    static func names(
        inFolder path: String, endingIn suffix: String
    ) throws(GuardedFileError) -> [String]? {
        guard let folder = opendir(path) else {
            guard errno == ENOTDIR else {
                throw GuardedFileError(path, errorNumber: errno)
            }
            return nil
        }
        defer { closedir(folder) }
        var status = stat()
        guard fstat(dirfd(folder), &status) == 0 else {
            throw GuardedFileError(path, errorNumber: errno)
        }
        try check(status, path, .trusted)
        guard let names = Folder.names(in: folder) else {
            throw GuardedFileError(path, errorNumber: errno)
        }
        return
            names
            .filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Throws if another user may create files in the folder, or if the path is not a folder.
    static func checkFolder(_ path: String) throws(GuardedFileError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw GuardedFileError(path, errorNumber: errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw GuardedFileError(path, "it is not a folder")
        }
        try check(status, path, .trusted)
    }

    private static func check(
        _ status: stat, _ path: String, _ kind: Kind
    ) throws(GuardedFileError) {
        try check(
            FileOwnership(
                userID: status.st_uid, groupID: status.st_gid, mode: status.st_mode), path, kind)
    }

    static func check(
        _ ownership: FileOwnership, _ path: String, _ kind: Kind
    ) throws(GuardedFileError) {
        let (owner, group, mode) = (ownership.userID, ownership.groupID, ownership.mode)
        guard owner == 0 || owner == geteuid() else {
            throw GuardedFileError(
                path, "it belongs to user \(owner), not to root or the bus's user")
        }
        guard mode & S_IWOTH == 0 else {
            throw GuardedFileError(path, "all users may write it")
        }
        guard mode & S_IWGRP == 0 || group == 0 else {
            throw GuardedFileError(path, "the members of group \(group) may write it")
        }
        guard kind == .trusted || mode & (S_IRGRP | S_IROTH) == 0 else {
            throw GuardedFileError(path, "other users may read it")
        }
    }
}

/// A guarded file that cannot be read, is invalid, or may have been changed by other users.
struct GuardedFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String
    /// The place of the fault in the file, if it is known.
    let fault: ExpressionError?

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
        fault = nil
    }

    /// The error of a system call.
    init(_ path: String, errorNumber: Int32) {
        self.init(path, String(cString: strerror(errorNumber)))
    }

    init(_ path: String, _ error: TextFileError) {
        self.path = path
        reason = error.reason
        fault = error.fault
    }

    /// `FILE:LINE:COLUMN: message` if the place is known.
    var description: String {
        fault.map { "\(path):\($0)" } ?? "\(path): \(reason)"
    }
}
