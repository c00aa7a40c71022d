// SPDX-License-Identifier: Apache-2.0

/// A disk that loses unsynced writes in a power failure, wholly or in part.
package struct SimulatedDisk: Sendable {
    package enum Fault: Error, Equatable, Sendable {
        case noSuchFile, exists, full, readOnly, failed
    }

    private struct File: Sendable {
        /// The current content.
        var bytes: [UInt8] = []
        /// The content that certainly survives a power failure.
        var synced: [UInt8] = []
        /// Bytes that are allocated beyond the content.
        var allocatedByteCount = 0
    }

    private var files: [String: File] = [:]
    /// The capacity in bytes; a write beyond it is written in part.
    package var capacity = Int.max
    /// Whether all changes fail.
    package var isReadOnly = false
    /// Whether removing and renaming files fails.
    package var refusesRemoval = false
    /// The number of syncs until one fails: 1 for the next sync; 0 for no failure.
    package var failingSync = 0
    /// The number of syncs so far, including failed ones.
    package private(set) var syncCount = 0

    package init() {}

    /// The names of all files, sorted.
    package var names: [String] {
        files.keys.sorted()
    }

    /// The number of bytes in use.
    package var usedByteCount: Int {
        files.values.reduce(0) { $0 + $1.bytes.count + $1.allocatedByteCount }
    }

    /// Returns the content of a file. Throws `noSuchFile`.
    package func read(_ name: String) throws(Fault) -> [UInt8] {
        guard let file = files[name] else {
            throw .noSuchFile
        }
        return file.bytes
    }

    /// Creates an empty file. Throws `exists` or `readOnly`.
    package mutating func create(_ name: String) throws(Fault) {
        try checkWritable()
        guard files[name] == nil else {
            throw .exists
        }
        files[name] = File()
    }

    /// Writes bytes at an offset. Throws `full` after writing the part that fits, `noSuchFile`, or
    /// `readOnly`.
    package mutating func write(
        _ bytes: [UInt8], to name: String, at offset: Int
    ) throws(Fault) {
        try checkWritable()
        guard var file = files[name] else {
            throw .noSuchFile
        }
        let room = max(0, capacity - usedByteCount)
        let isTooMuch = offset + bytes.count - file.bytes.count > room
        let written = isTooMuch ? max(0, file.bytes.count - offset + room) : bytes.count
        let end = offset + written
        if file.bytes.count < end {
            file.bytes += [UInt8](repeating: 0, count: end - file.bytes.count)
        }
        file.bytes.replaceSubrange(offset..<end, with: bytes[..<written])
        files[name] = file
        if isTooMuch {
            throw .full
        }
    }

    /// Allocates `byteCount` bytes for a file, which is created if necessary. Throws `full` or `readOnly`.
    package mutating func allocate(_ name: String, byteCount: Int) throws(Fault) {
        try checkWritable()
        let allocated = files[name]?.allocatedByteCount ?? 0
        guard byteCount - allocated <= capacity - min(capacity, usedByteCount) else {
            throw .full
        }
        files[name, default: File()].allocatedByteCount = max(allocated, byteCount)
    }

    /// Makes the content of a file survive a power failure. Throws `failed` or `noSuchFile`.
    package mutating func sync(_ name: String) throws(Fault) {
        guard files[name] != nil else {
            throw .noSuchFile
        }
        syncCount += 1
        if failingSync > 0 {
            failingSync -= 1
            if failingSync == 0 {
                throw .failed
            }
        }
        let bytes = files[name]?.bytes ?? []
        files[name]?.synced = bytes
    }

    /// Shortens a file to `byteCount` bytes. Throws `noSuchFile` or `readOnly`.
    package mutating func truncate(_ name: String, to byteCount: Int) throws(Fault) {
        try checkWritable()
        guard let count = files[name]?.bytes.count else {
            throw .noSuchFile
        }
        files[name]?.bytes.removeLast(max(0, count - byteCount))
    }

    /// Removes a file. Throws `noSuchFile`, `failed` or `readOnly`.
    package mutating func remove(_ name: String) throws(Fault) {
        try checkWritable()
        guard !refusesRemoval else {
            throw .failed
        }
        guard files.removeValue(forKey: name) != nil else {
            throw .noSuchFile
        }
    }

    /// Renames a file, replacing another one of the new name. Throws `noSuchFile`, `failed` or
    /// `readOnly`.
    package mutating func rename(_ name: String, to newName: String) throws(Fault) {
        try checkWritable()
        guard !refusesRemoval else {
            throw .failed
        }
        guard let file = files.removeValue(forKey: name) else {
            throw .noSuchFile
        }
        files[newName] = file
    }

    private func checkWritable() throws(Fault) {
        if isReadOnly {
            throw .readOnly
        }
    }

    // MARK: - Faults

    /// Flips one bit of a file's content.
    package mutating func flipBit(_ bit: Int, of name: String) {
        files[name]?.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        if let count = files[name]?.synced.count, bit / 8 < count {
            files[name]?.synced[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }

    /// Simulates a power failure. Each file keeps a random prefix of its unsynced content; zeros may
    /// follow it.
    package mutating func losePower(using generator: inout some RandomNumberGenerator) {
        for name in names {
            guard let file = files[name] else {
                continue
            }
            let isExtended =
                file.bytes.count >= file.synced.count
                && file.bytes.starts(with: file.synced)
            var kept = isExtended || Bool.random(using: &generator) ? file.bytes : file.synced
            let certain = min(kept.count, file.synced.count)
            if isExtended, certain < kept.count {
                let end = Int.random(in: certain...kept.count, using: &generator)
                let isZeroed = Bool.random(using: &generator)
                let lost = kept.count - end
                kept.removeLast(lost)
                kept += isZeroed ? [UInt8](repeating: 0, count: lost) : []
            }
            files[name] = File(
                bytes: kept, synced: kept, allocatedByteCount: file.allocatedByteCount)
        }
    }
}
