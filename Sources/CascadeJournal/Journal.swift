// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Records under keys, on a disk that may fail and forget: what ``write(_:)`` has returned for is
/// there for good.
///
/// Changes are appended to one file. When most of it is no longer needed, and whenever something is
/// wrong with it, what counts is written into a new file, which takes its place. Beside it stands a
/// reserve: where the disk is full it is given up, so that what ends events can still be written.
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
        /// Where the next frame goes.
        var end: Int
    }

    /// Nobody else touches it while the journal lives, but for tests.
    package var disk: Disk
    let makeSalt: () -> UInt64
    var places: [EventID: Place] = [:]
    /// How many bytes of files the records need that count.
    package internal(set) var liveByteCount = 0
    /// The file that is appended to; `nil` if there is none that can be trusted.
    var segment: Segment?
    /// Files to be given up for the next new one; `true` for those to be kept as evidence. One that
    /// cannot be given up stays here, to be tried again.
    var outdated: [(name: String, isDamaged: Bool)] = []
    var lastNumber: UInt64 = 0
    var lastSegment: UInt64 = 0
    /// Keys whose records have gone without the disk's knowing.
    var unwrittenRemovals: [EventID] = []
    /// From which size on the file is written anew.
    var compactionByteCount = 0
    var hasReserve = false
    /// Bytes of the reserve, where the disk is not too small for it.
    let reserveByteCountMax: Int
    /// Why there is no reserve, as long as there is none: nothing new is written then.
    package internal(set) var reserveFault: String?
    /// Damage that was found since the journal was opened, and that has not been taken.
    var damage = JournalDamage()

    /// How much more than what counts a file may hold. While there is no reserve, that is a part of
    /// what the reserve had, so that room is left to write the file anew.
    var slack: Int { hasReserve ? 4 << 20 : reserveByteCountMax / 4 }

    package init(
        disk: Disk, reserveByteCountMax: Int = 4 << 20, makeSalt: @escaping () -> UInt64
    ) {
        self.disk = disk
        self.reserveByteCountMax = reserveByteCountMax
        self.makeSalt = makeSalt
    }

    /// The damage that was found since the last call; `nil` for none.
    package mutating func takeDamage() -> JournalDamage? {
        guard damage.count > 0 else {
            return nil
        }
        defer { damage = JournalDamage() }
        return damage
    }

    // MARK: - Opening

    /// Reads what is there, and begins a new file with it. If that is not possible the report says
    /// why, and the next write tries again. Throws if the folder cannot be read, or holds what a
    /// newer release has written.
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
        // What an older file says is in this one, or has ended: the older file could only not be
        // removed.
        let first = files.lastIndex { $0.reader.hasCheckpoint } ?? 0
        for (index, file) in files.enumerated() {
            outdated.append((file.name, file.reader.damagedCount > 0))
            lastNumber = max(lastNumber, file.reader.lastNumber)
            if index >= first {
                note(file.reader, of: file.name, in: &report)
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
        return report
    }

    private func note(
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

    /// Writes the changes, and syncs them if one has to be. When this throws, none of those
    /// that give a key a record has happened; what is removed is removed all the same.
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
            // What cannot be made smaller now can be later.
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
            // The next ones go where these did not find room.
            takeBack(segment)
            throw error
        }
        if isSynced {
            do throws(JournalError) {
                try disk.sync(segment.name)
            } catch {
                // A second sync could say that all is well when it is not.
                takeBack(segment)
                abandonSegment()
                throw error
            }
        }
        self.segment?.end += bytes.count
    }

    private mutating func takeBack(_ segment: Segment) {
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
