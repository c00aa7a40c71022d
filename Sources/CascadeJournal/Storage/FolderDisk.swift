// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A locked folder of the file system, which one journal uses at a time.
///
/// It is a class because it owns descriptors. One thread may use it at a time.
package final class FolderDisk: JournalDisk {
    /// A check of a file's or folder's owner and permissions. Throws ``JournalError`` if untrusted
    /// users may write it.
    package typealias Check =
        @Sendable (FileOwnership, _ path: String) throws(JournalError) -> Void

    /// The greatest size of a file that is read, in bytes.
    private let fileByteCountMax: Int
    private let path: String
    private let check: Check
    private let folder: Int32
    /// The file that was written last, which is usually the next one to be written.
    private var open: (name: String, descriptor: Int32)?

    /// Opens and locks the folder, and creates it if necessary. Throws ``JournalError`` if it cannot be
    /// used, or another process has locked it.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - fileByteCountMax: The greatest size of a file that is read, in bytes. A larger file is an
    ///     error.
    ///   - check: The check of the folder, and of each file that is read.
    package init(
        _ path: String, fileByteCountMax: Int, check: @escaping Check
    ) throws(JournalError) {
        self.fileByteCountMax = fileByteCountMax
        folder = try Self.openLocked(path, check)
        self.path = path
        self.check = check
    }

    private static func openLocked(
        _ path: String, _ check: Check
    ) throws(JournalError) -> Int32 {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw JournalError("the folder '\(path)' cannot be created: \(reason())")
        }
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw JournalError("the folder '\(path)' cannot be opened: \(reason())")
        }
        do throws(JournalError) {
            guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
                let reason = errno == EWOULDBLOCK ? "another process has locked it" : Self.reason()
                throw JournalError("the folder '\(path)' cannot be used: \(reason)")
            }
            var status = stat()
            guard fstat(folder, &status) == 0 else {
                throw JournalError("the folder '\(path)' cannot be used: \(reason())")
            }
            try check(FileOwnership(status), path)
        } catch {
            close(folder)
            throw error
        }
        return folder
    }

    deinit {
        if let open {
            close(open.descriptor)
        }
        close(folder)
    }

    package var totalByteCount: Int {
        var status = statvfs()
        // A file system without a limit, for example tmpfs with 'size=0', reports no blocks.
        guard fstatvfs(folder, &status) == 0, status.f_blocks > 0 else {
            return .max
        }
        let (byteCount, isOver) = Int(clamping: status.f_blocks)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return isOver ? .max : byteCount
    }

    // MARK: - Reading

    package func fileNames() throws(JournalError) -> [String] {
        guard let stream = opendir(path) else {
            throw failure("read", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // readdir(3) returns NULL also for an error, and changes errno only then. An error must
            // not hide a file, because a new file would replace it unread.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else {
                    throw failure("read", path)
                }
                return names
            }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
    }

    package func read(_ name: String) throws(JournalError) -> [UInt8] {
        let descriptor = try descriptor(of: name, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure("read", name)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw failure("read", name, because: "it is not a regular file")
        }
        try check(FileOwnership(status), path + "/" + name)
        guard status.st_size <= fileByteCountMax else {
            throw failure(
                "read", name,
                because: "it has \(status.st_size) bytes, more than a file of the journal can have "
                    + "(\(fileByteCountMax), by the limits durableBytes, durable and "
                    + "durableOutcomes); raise durableBytes if it was lowered, otherwise move the "
                    + "file away")
        }
        return try read(name, from: descriptor, at: 0, byteCount: Int(status.st_size))
    }

    package func read(
        _ name: String, at offset: Int, byteCount: Int
    ) throws(JournalError) -> [UInt8] {
        if let open, open.name == name {
            return try read(name, from: open.descriptor, at: offset, byteCount: byteCount)
        }
        let descriptor = try descriptor(of: name, O_RDONLY)
        defer { close(descriptor) }
        return try read(name, from: descriptor, at: offset, byteCount: byteCount)
    }

    private func read(
        _ name: String, from descriptor: Int32, at offset: Int, byteCount: Int
    ) throws(JournalError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var done = 0
        while done < byteCount {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress.map { $0 + done }, byteCount - done,
                    off_t(offset + done))
            }
            if count < 0, errno == EINTR {
                continue
            }
            guard count >= 0 else {
                throw failure("read", name)
            }
            guard count > 0 else {
                return Array(bytes[..<done])
            }
            done += count
        }
        return bytes
    }

    // MARK: - Writing

    package func create(_ name: String) throws(JournalError) {
        keepOpen(name, try descriptor(of: name, O_RDWR | O_CREAT | O_EXCL))
    }

    package func write(
        _ bytes: [UInt8], to name: String, at offset: Int
    ) throws(JournalError) {
        let descriptor = try writable(name)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done,
                    off_t(offset + done))
            }
            if count < 0, errno == EINTR {
                continue
            }
            guard count > 0 else {
                throw failure("written", name)
            }
            done += count
        }
    }

    package func sync(_ name: String) throws(JournalError) {
        guard fdatasync(try writable(name)) == 0 else {
            throw failure("synced", name)
        }
    }

    package func truncate(_ name: String, to byteCount: Int) throws(JournalError) {
        guard ftruncate(try writable(name), off_t(byteCount)) == 0 else {
            throw failure("shortened", name)
        }
    }

    package func remove(_ name: String) throws(JournalError) {
        closeFile(name)
        // A missing file counts as removed: an earlier attempt may have removed it and reported an
        // error.
        guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else {
            throw failure("removed", name)
        }
    }

    package func rename(_ name: String, to newName: String) throws(JournalError) {
        closeFile(name)
        guard renameat(folder, name, folder, newName) == 0 else {
            throw failure("renamed", name)
        }
    }

    package func allocate(_ name: String, byteCount: Int) throws(JournalError) {
        let descriptor = try descriptor(of: name, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        let fault = posix_fallocate(descriptor, 0, off_t(byteCount))
        guard fault == 0 else {
            // Releases the space that was allocated before the error.
            unlinkat(folder, name, 0)
            errno = fault
            throw failure("reserved", name)
        }
    }

    package func syncFolder() throws(JournalError) {
        guard fsync(folder) == 0 else {
            throw failure("synced", path)
        }
    }

    // MARK: - Descriptors

    private func writable(_ name: String) throws(JournalError) -> Int32 {
        if let open, open.name == name {
            return open.descriptor
        }
        let descriptor = try descriptor(of: name, O_RDWR)
        keepOpen(name, descriptor)
        return descriptor
    }

    private func keepOpen(_ name: String, _ descriptor: Int32) {
        if let open {
            close(open.descriptor)
        }
        open = (name, descriptor)
    }

    private func closeFile(_ name: String) {
        if let open, open.name == name {
            close(open.descriptor)
            self.open = nil
        }
    }

    private func descriptor(of name: String, _ flags: Int32) throws(JournalError) -> Int32 {
        // A pipe or device in place of a file must not block the journal, and a link must not lead
        // out of the folder.
        let restrictions = O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        let descriptor = openat(folder, name, flags | restrictions | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure("opened", name)
        }
        return descriptor
    }

    private func failure(
        _ what: String, _ name: String, because reason: String? = nil
    ) -> JournalError {
        let isFull = reason == nil && (errno == ENOSPC || errno == EDQUOT)
        return JournalError(
            "the journal in '\(path)' cannot be \(what) (\(name)): \(reason ?? Self.reason())",
            isDiskFull: isFull)
    }

    private static func reason() -> String {
        String(cString: strerror(errno))
    }
}

extension FileOwnership {
    fileprivate init(_ status: stat) {
        self.init(userID: status.st_uid, groupID: status.st_gid, mode: status.st_mode)
    }
}
