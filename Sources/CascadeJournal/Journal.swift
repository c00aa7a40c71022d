// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A store of records by key, on a disk that may fail or lose unsynced writes: changes are durable
/// once ``write(_:)`` has returned.
///
/// Changes are appended to one file. When most of the file is obsolete, or the file is faulty, the live
/// records are written to a new file that replaces it. When the disk is full, a reserve of disk space is
/// released, so that changes that end events can still be written.
package struct Journal<Disk: JournalDisk> {
    /// The location of a record in a file.
    struct Location {
        var file: String
        var offset: Int
        var byteCount: Int
        var number: UInt64
    }

    /// The file to which changes are appended.
    struct Segment {
        var name: String
        var header: SegmentHeader
        /// The offset of the next frame.
        var end: Int
    }

    /// The disk. Only the journal and tests use it.
    package var disk: Disk
    /// Returns a random salt for a new file.
    let makeSalt: () -> UInt64
    /// The locations of the live records.
    var locations: [EventID: Location] = [:]
    /// The number of bytes that the live records occupy in files.
    package internal(set) var liveByteCount = 0
    /// The file to which changes are appended; `nil` until the first one is begun, and after a fault.
    var segment: Segment?
    /// The files that the next new file replaces. Damaged ones are kept as evidence. A file that cannot
    /// be removed stays in this list.
    var obsoleteFiles: [(name: String, isDamaged: Bool)] = []
    var lastNumber: UInt64 = 0
    var lastSegment: UInt64 = 0
    /// The keys of removals that could not be written. The next write includes them.
    var unwrittenRemovals: [EventID] = []
    /// The size above which the file is replaced, in bytes.
    var compactionByteCount = 0
    var hasReserve = false
    /// The size of the reserve in bytes, unless the disk is too small for it.
    let reserveByteCountMax: Int
    /// The reason why the reserve is missing; `nil` if it is allocated. Without it, changes that begin
    /// events are refused.
    package internal(set) var reserveFault: String?
    /// The damage found since the last call of ``takeDamage()``.
    var damage = JournalDamage()

    /// The number of bytes by which a file may exceed the live records: at most a sixteenth of the disk,
    /// and without a reserve a quarter of the reserve's size, so that space is left to replace the file.
    var slack: Int {
        min(hasReserve ? 4 << 20 : reserveByteCountMax / 4, disk.totalByteCount / 16)
    }

    /// The size of the disk in bytes when the current file was begun.
    package internal(set) var diskByteCount = Int.max

    package init(
        disk: Disk, reserveByteCountMax: Int = 4 << 20, makeSalt: @escaping () -> UInt64
    ) {
        self.disk = disk
        self.reserveByteCountMax = reserveByteCountMax
        self.makeSalt = makeSalt
    }

    /// Returns the damage found since the last call, and resets it; `nil` for none.
    package mutating func takeDamage() -> JournalDamage? {
        guard damage.count > 0 else {
            return nil
        }
        defer { damage = JournalDamage() }
        return damage
    }

    // MARK: - Opening

    /// Reads the files, and begins a new file with their live records. If the new file cannot be
    /// written, the report contains the fault, and the next write tries again. Throws ``JournalError`` if
    /// the folder cannot be read, or a newer release wrote it.
    package mutating func open() throws(JournalError) -> JournalReport {
        var report = JournalReport()
        var newest: [EventID: JournalFrame] = [:]
        var files: [(name: String, reader: JournalReader)] = []
        for name in try disk.fileNames().sorted() {
            if let number = Self.number(ofFile: name) {
                lastSegment = max(lastSegment, number)
                files.append((name, try JournalReader(disk.read(name))))
            }
        }
        // The newest file with a checkpoint contains all live records of the earlier files, which could
        // not be removed.
        let first = files.lastIndex { $0.reader.hasCheckpoint } ?? 0
        for (index, file) in files.enumerated() {
            obsoleteFiles.append((file.name, file.reader.damagedCount > 0))
            lastNumber = max(lastNumber, file.reader.lastNumber)
            if index >= first {
                count(file.reader, of: file.name, in: &report)
                for entry in file.reader.entries {
                    apply(entry, of: file.name, &newest)
                }
            }
        }
        let frames = newest.values.filter { $0.body != nil }.sorted { $0.number < $1.number }
        report.records = frames.compactMap(\.body)
        for frame in newest.values where frame.body == nil {
            locations[frame.key] = nil
        }
        liveByteCount = locations.values.reduce(0) { $0 + $1.byteCount }
        do {
            try beginSegmentWithReserve()
            try restoreReserve()
        } catch {
            report.fault = error.description
        }
        diskByteCount = disk.totalByteCount
        report.diskByteCount = diskByteCount
        return report
    }

    private func count(
        _ reader: JournalReader, of name: String, in report: inout JournalReport
    ) {
        report.damagedCount += reader.damagedCount
        report.droppedByteCount += reader.droppedByteCount
        if reader.damagedCount > 0 {
            report.evidence.append(Self.evidenceName(of: name))
        }
    }

    /// Applies a frame of a file, unless a newer frame of its key has been applied.
    private mutating func apply(
        _ entry: JournalReader.Entry, of name: String, _ newest: inout [EventID: JournalFrame]
    ) {
        let frame = entry.frame
        guard newest[frame.key].map({ $0.number < frame.number }) ?? true else {
            return
        }
        newest[frame.key] = frame
        locations[frame.key] = Location(
            file: name, offset: entry.offset, byteCount: frame.byteCount, number: frame.number)
    }

    // MARK: - Writing

    /// Writes the changes, and syncs them if any of them requires it. On an error, no record is added,
    /// but removals take effect in memory, and the next write includes them.
    package mutating func write(_ changes: [JournalChange]) throws(JournalError) {
        do throws(JournalError) {
            try appendWithReserve(changes)
        } catch {
            for change in changes where change.body == nil {
                removeLocation(of: change.key)
                unwrittenRemovals.append(change.key)
            }
            throw error
        }
        unwrittenRemovals = []
        if let segment, segment.end > compactionByteCount {
            // A failed compaction is tried again when the file has grown by the slack.
            compactionByteCount = segment.end + slack
            try? beginSegment()
        }
    }

    mutating func append(_ changes: [JournalChange]) throws(JournalError) {
        if segment == nil {
            try beginSegment()
        }
        guard let segment else {
            return
        }
        let removals = unwrittenRemovals.map { JournalChange(key: $0, body: nil) }
        guard lastNumber + UInt64(removals.count + changes.count) <= JournalFrame.numberMax else {
            throw .outOfNumbers
        }
        var bytes: [UInt8] = []
        var written: [(key: EventID, location: Location?)] = []
        var number = lastNumber
        for change in removals + changes {
            number += 1
            let frame = JournalFrame(number: number, key: change.key, body: change.body)
            let location = Location(
                file: segment.name, offset: segment.end + bytes.count, byteCount: frame.byteCount,
                number: number)
            written.append((change.key, change.body == nil ? nil : location))
            bytes += frame.encoded(salt: segment.header.salt)
        }
        lastNumber = number
        try commit(bytes, isSynced: changes.contains(where: \.isSynced))
        for (key, location) in written {
            removeLocation(of: key)
            locations[key] = location
            liveByteCount += location?.byteCount ?? 0
        }
    }

    private mutating func commit(_ bytes: [UInt8], isSynced: Bool) throws(JournalError) {
        guard let segment else {
            return
        }
        do throws(JournalError) {
            try disk.write(bytes, to: segment.name, at: segment.end)
        } catch {
            // The next changes are written at the same offset.
            truncate(segment)
            throw error
        }
        if isSynced {
            do throws(JournalError) {
                try disk.sync(segment.name)
            } catch {
                // After a failed sync the content on disk is unknown, and a later sync may succeed
                // although the content is lost.
                truncate(segment)
                abandonSegment()
                throw error
            }
        }
        self.segment?.end += bytes.count
    }

    /// Removes the bytes of a failed write from the file. Abandons the file if that fails too.
    private mutating func truncate(_ segment: Segment) {
        do throws(JournalError) {
            try disk.truncate(segment.name, to: segment.end)
        } catch {
            abandonSegment()
        }
    }

    /// Ends appending to the current file. The next write begins a new one.
    mutating func abandonSegment() {
        if let segment {
            obsoleteFiles.append((segment.name, false))
        }
        segment = nil
    }

    private mutating func removeLocation(of key: EventID) {
        if let location = locations.removeValue(forKey: key) {
            liveByteCount -= location.byteCount
        }
    }
}
