// SPDX-License-Identifier: Apache-2.0

import CascadeJournal
import Glibc

/// The file of the state directory with the values set for paths.
///
/// Each write replaces the file as a whole by rename(2), so that a daemon that ends at any time leaves
/// the previous content or the new one. The file is not forced to the disk: after a loss of power it
/// may have an earlier content.
struct ValuesFile {
    let path: String

    /// The most bytes that are read.
    private static let byteCountMax = 1 << 30

    /// Returns the content; `nil` if there is no file. Throws ``GuardedFileError`` if it cannot be
    /// read or another user may have written it.
    func read() throws(GuardedFileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else {
                throw failure
            }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.byteCountMax else {
            throw GuardedFileError(path, "it is not a regular file, or too long")
        }
        try GuardedFile.check(
            FileOwnership(
                userID: status.st_uid, groupID: status.st_gid, mode: status.st_mode), path, .trusted
        )
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let next = bytes[count...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            guard next > 0 else {
                throw failure
            }
            count += next
        }
        return bytes
    }

    /// Replaces the content. Throws ``GuardedFileError`` if that fails; the previous content stays then.
    func write(_ bytes: [UInt8]) throws(GuardedFileError) {
        let newPath = path + ".new"
        unlink(newPath)
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure
        }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                break
            }
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty, rename(newPath, path) == 0 else {
            let failure = failure
            unlink(newPath)
            throw failure
        }
    }

    private var failure: GuardedFileError {
        GuardedFileError(path, errorNumber: errno)
    }
}
