// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Changes of several files that are made together: all of them, or none.
///
/// Each file is written beside its place, synced, and then renamed, so that a reader finds the old or the new
/// text, and never a part of one. If a change fails, those before it are taken back. A symbolic link stays,
/// and the file that it names is replaced.
struct FileChanges {
    private struct Change {
        var path: String
        /// The new text; `nil` removes the file.
        var text: String?
        var mode: mode_t
        /// The user that owns the file; `nil` for the user of the process.
        var owner: String?
        /// Whether a file that is there keeps its mode, its user and its group.
        var keepsAccess = false
    }

    private var changes: [Change] = []

    /// Adds a file that every user may read. A file that is there keeps its mode, its user and its group.
    mutating func write(_ path: String, _ text: String) {
        changes.append(
            Change(
                path: Self.target(of: path), text: text, mode: 0o644, owner: nil, keepsAccess: true)
        )
    }

    /// Adds a file that only its owner may read. An `owner` that this machine does not know, or to
    /// which the process may not give a file, is replaced by the user of the process.
    mutating func writeSecret(_ path: String, _ text: String, owner: String? = nil) {
        changes.append(
            Change(path: Self.target(of: path), text: text, mode: 0o600, owner: owner))
    }

    /// Adds the removal of a file. A file that does not exist is no error.
    mutating func remove(_ path: String) {
        changes.append(Change(path: path, text: nil, mode: 0, owner: nil))
    }

    // MARK: - Applying

    /// Makes all changes. Throws ``Stop``, and leaves every file as it was, if one of them fails.
    func apply() throws(Stop) {
        var prepared: [String] = []
        defer {
            for path in prepared {
                unlink(path)
            }
        }
        for change in changes where change.text != nil {
            try Self.makeFolder(of: change.path)
            prepared.append(change.path + Self.newSuffix)
            try Self.prepare(change)
        }
        var kept: [String] = []
        do throws(Stop) {
            for change in changes {
                try Self.keep(change.path)
                kept.append(change.path)
                try Self.replace(change)
            }
        } catch {
            for path in kept.reversed() {
                Self.restore(path)
            }
            throw error
        }
        for path in kept {
            unlink(path + Self.oldSuffix)
        }
        for folder in Set(changes.map { Self.folder(of: $0.path) }) {
            Self.sync(folder)
        }
    }

    private static let newSuffix = ".new"
    private static let oldSuffix = ".old"

    /// The file that a path names, after its symbolic links; the path itself if the file is not there.
    private static func target(of path: String) -> String {
        let target = realpath(path, nil)
        defer { free(target) }
        return target.map { String(cString: $0) } ?? path
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func makeFolder(of path: String) throws(Stop) {
        let folder = folder(of: path)
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw Stop.file(folder, "create the folder", errno)
        }
    }

    /// Writes the new text beside the file's place.
    private static func prepare(_ change: Change) throws(Stop) {
        let path = change.path + newSuffix
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Stop.file(path, "create", errno)
        }
        defer { close(descriptor) }
        var rest = Array((change.text ?? "").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw Stop.file(path, "write", errno)
            }
            rest = rest.dropFirst(count)
        }
        if let owner = change.owner, geteuid() == 0, let user = getpwnam(owner) {
            fchown(descriptor, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        var mode = change.mode
        var present = stat()
        if change.keepsAccess, stat(change.path, &present) == 0 {
            mode = present.st_mode & 0o7777
            // Only root may give a file away; another user keeps what it has written.
            fchown(descriptor, present.st_uid, present.st_gid)
        }
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
            throw Stop.file(path, "write", errno)
        }
    }

    /// Keeps the present file under a second name until all changes are made.
    private static func keep(_ path: String) throws(Stop) {
        unlink(path + oldSuffix)
        guard link(path, path + oldSuffix) == 0 || errno == ENOENT else {
            throw Stop.file(path, "keep a copy of", errno)
        }
    }

    private static func replace(_ change: Change) throws(Stop) {
        guard change.text != nil else {
            guard unlink(change.path) == 0 || errno == ENOENT else {
                throw Stop.file(change.path, "remove", errno)
            }
            return
        }
        guard rename(change.path + newSuffix, change.path) == 0 else {
            throw Stop.file(change.path, "replace", errno)
        }
    }

    private static func restore(_ path: String) {
        if rename(path + oldSuffix, path) != 0, errno == ENOENT {
            unlink(path)
        }
        // Both names are the same file if the change was not made; rename leaves them then.
        unlink(path + oldSuffix)
    }

    private static func sync(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return
        }
        fsync(descriptor)
        close(descriptor)
    }
}
