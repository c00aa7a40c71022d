// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A store of records by key, on a disk that may fail or lose unsynced writes: changes are durable
/// once ``write(_:)`` has returned.
///
/// Changes are appended to one file. When most of the file is obsolete, or the file is faulty, the
/// live records are written into a new file that replaces it. A reserve of disk space is released
/// when the disk is full, so that changes that end events can still be written.
package struct Journal<Disk: JournalDisk> {
    struct Place {
        var file: String
        var offset: Int
        var byteCount: Int
        var number: UInt64
    }

    struct Segment {
        var name: String
        var header: SegmentHeader
        /// The offset of the next frame.
        var end: Int
    }

    /// The disk, used by the journal alone, and by tests.
    package var disk: Disk
    let makeSalt: () -> UInt64
    var places: [EventID: Place] = [:]
    /// The number of bytes that the live records occupy in files.
    package internal(set) var liveByteCount = 0
    /// The file for appending; `nil` if there is none that can be trusted.
    var segment: Segment?
    /// The files that the next new file replaces; `true` for those to be kept as evidence. A file
    /// that cannot be removed stays in this list.
    var outdated: [(name: String, isDamaged: Bool)] = []
    var lastNumber: UInt64 = 0
    var lastSegment: UInt64 = 0
    /// The keys whose removal is not on disk.
    var unwrittenRemovals: [EventID] = []
    /// The size above which the file is replaced, in bytes.
    var compactionByteCount = 0
    var hasReserve = false
    /// The size of the reserve in bytes, unless the disk is too small for it.
    let reserveByteCountMax: Int
    /// The reason why there is no reserve, if so. No new events are written then.
    package internal(set) var reserveFault: String?
    /// Damage found since the journal was opened, and not yet returned by ``takeDamage()``.
    var damage = JournalDamage()

    /// The number of bytes by which a file may exceed the live records. Without a reserve it is a
    /// quarter of the reserve's size, so that space is left to replace the file; and never more
    /// than a sixteenth of the disk.
    var slack: Int {
        min(hasReserve ? 4 << 20 : reserveByteCountMax / 4, disk.totalByteCount / 16)
    }

    /// The size of the disk in bytes, as it was when the file for appending was begun.
    package internal(set) var diskByteCount = Int.max

    package init(
        disk: Disk, reserveByteCountMax: Int = 4 << 20, makeSalt: @escaping () -> UInt64
    ) {
        self.disk = disk
        self.reserveByteCountMax = reserveByteCountMax
        self.makeSalt = makeSalt
    }

    /// Returns the damage found since the last call; `nil` for none.
    package mutating func takeDamage() -> JournalDamage? {
        guard damage.count > 0 else {
            return nil
        }
        defer { damage = JournalDamage() }
        return damage
    }

    // MARK: - Opening

    /// Reads the files, and begins a new file with their live records. If the new file fails, the
    /// report contains the fault, and the next write tries again. Throws ``JournalError`` if the
    /// folder cannot be read, or a newer release has written it.
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
        // Records of older files are in this file or have ended; the older files could not be
        // removed.
        let first = files.lastIndex { $0.reader.hasCheckpoint } ?? 0
        for (index, file) in files.enumerated() {
            outdated.append((file.name, file.reader.damagedCount > 0))
            lastNumber = max(lastNumber, file.reader.lastNumber)
            if index >= first {
                count(file.reader, of: file.name, in: &report)
                for entry in file.reader.entries {
                    take(entry, of: file.name, &newest)
                }
            }
        }
        let frames = newest.values.filter { $0.body != nil }.sorted { $0.number < $1.number }
        report.records = frames.compactMap(\.body)
        for frame in newest.values where frame.body == nil {
            places[frame.key] = nil
        }
        liveByteCount = places.values.reduce(0) { $0 + $1.byteCount }
        do {
            try beginAnewWithReserve()
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

    private mutating func take(
        _ entry: JournalReader.Entry, of name: String, _ newest: inout [EventID: JournalFrame]
    ) {
        let frame = entry.frame
        guard newest[frame.key].map({ $0.number < frame.number }) ?? true else {
            return
        }
        newest[frame.key] = frame
        places[frame.key] = Place(
            file: name, offset: entry.offset, byteCount: frame.byteCount, number: frame.number)
    }

    // MARK: - Writing

    /// Writes the changes, and syncs them if any of them requires it. On an error, no record of
    /// these changes is added; removals take effect in memory all the same.
    package mutating func write(_ changes: [JournalChange]) throws(JournalError) {
        do throws(JournalError) {
            try appendWithReserve(changes)
        } catch {
            for change in changes where change.body == nil {
                forget(change.key)
                unwrittenRemovals.append(change.key)
            }
            throw error
        }
        unwrittenRemovals = []
        if let segment, segment.end > compactionByteCount {
            // A failed compaction is tried again later.
            compactionByteCount = segment.end + slack
            try? beginAnew()
        }
    }

    mutating func append(_ changes: [JournalChange]) throws(JournalError) {
        if segment == nil {
            try beginAnew()
        }
        guard let segment else {
            return
        }
        let removals = unwrittenRemovals.map { JournalChange(key: $0, body: nil) }
        guard lastNumber + UInt64(removals.count + changes.count) <= JournalFrame.numberMax else {
            throw .outOfNumbers
        }
        var bytes: [UInt8] = []
        var written: [(key: EventID, place: Place?)] = []
        var number = lastNumber
        for change in removals + changes {
            number += 1
            let frame = JournalFrame(number: number, key: change.key, body: change.body)
            let place = Place(
                file: segment.name, offset: segment.end + bytes.count, byteCount: frame.byteCount,
                number: number)
            written.append((change.key, change.body == nil ? nil : place))
            bytes += frame.encoded(salt: segment.header.salt)
        }
        lastNumber = number
        try commit(bytes, isSynced: changes.contains(where: \.isSynced))
        for (key, place) in written {
            forget(key)
            places[key] = place
            liveByteCount += place?.byteCount ?? 0
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
                // After a failed sync, a later one may wrongly succeed.
                truncate(segment)
                abandonSegment()
                throw error
            }
        }
        self.segment?.end += bytes.count
    }

    private mutating func truncate(_ segment: Segment) {
        do throws(JournalError) {
            try disk.truncate(segment.name, to: segment.end)
        } catch {
            abandonSegment()
        }
    }

    mutating func abandonSegment() {
        if let segment {
            outdated.append((segment.name, false))
        }
        segment = nil
    }

    private mutating func forget(_ key: EventID) {
        if let place = places.removeValue(forKey: key) {
            liveByteCount -= place.byteCount
        }
    }
}
