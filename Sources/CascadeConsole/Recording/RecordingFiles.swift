// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The reason why a recording cannot be written or read.
struct RecordingError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ code: Int32) {
        description = "\(what): \(ErrorNumber(code))"
    }

    init(_ description: String) {
        self.description = description
    }
}

/// The right to write into a directory, which one process has at a time.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock. Throws ``RecordingError`` if another process has it.
    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw RecordingError("cannot open \(path)", errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? RecordingError(
                    "another console records in \(path): stop it, or name another directory")
                : RecordingError("cannot lock \(path)", errno)
        }
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
        }
    }
}

/// A file of a recording that is written. Only its user may read it.
final class WrittenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates a file. Throws ``RecordingError`` if it exists.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RecordingError("cannot create \(path)", errno)
        }
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
        }
    }

    func append(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw RecordingError("cannot write \(path)", errno)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Removes what is behind a size in bytes. Returns whether it could.
    func truncate(to byteCount: Int) -> Bool {
        ftruncate(descriptor, off_t(byteCount)) == 0
    }
}

/// A file that is read: from its beginning to its end in bounded memory, or parts of it.
final class ReadFile: Sendable {
    private static let chunkByteCount = 1_048_576
    /// The limit of a line in bytes. A longer one is skipped.
    private static let lineByteCountMax = 67_108_864

    let path: String
    let byteCount: Int
    private let descriptor: Int32

    /// Opens a file. Throws ``RecordingError`` if it cannot be read.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            byteCount = 0
            throw RecordingError("cannot open \(path)", errno)
        }
        byteCount = Int(status.st_size)
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
        }
    }

    /// Reads a part of the file; less if the file ends before.
    func read(_ offset: Int, _ count: Int) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
                    off_t(offset + filled))
                guard read > 0 else {
                    failure = read < 0 ? errno : 0
                    return
                }
                filled += read
            }
        }
        guard failure == 0 else {
            throw RecordingError("cannot read \(path)", failure)
        }
        return bytes
    }

    /// Calls `body` with each whole line, without its end, and its offset, until it returns `false`.
    func forEachLine(_ body: (Slice<UnsafeRawBufferPointer>, Int) throws -> Bool) throws {
        var rest: [UInt8] = []
        var offset = 0
        while true {
            let chunk = try read(offset + rest.count, Self.chunkByteCount)
            if chunk.isEmpty {
                return
            }
            rest += chunk
            var isDone = false
            let used = try rest.withUnsafeBytes { bytes in
                var used = 0
                try bytes.forEachLine { line in
                    isDone = try !body(line, offset + line.startIndex)
                    used = line.endIndex + 1
                    return !isDone
                }
                return used
            }
            if isDone {
                return
            }
            rest.removeFirst(used)
            offset += used
            if rest.count > Self.lineByteCountMax {
                offset += rest.count
                rest = []
            }
        }
    }
}
