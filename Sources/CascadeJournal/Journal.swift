// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Records under keys, on a disk that may fail and forget: what ``write(_:)`` has returned for is
/// there for good.
///
/// Changes are appended to one file. When most of it is no longer needed, and whenever something is
/// wrong with it, what counts is written into a new file, which takes its place.
package struct Journal<Disk: JournalDisk> {
    private struct Place {
        var file: String
        var offset: Int
        var byteCount: Int
        var number: UInt64
    }

    private struct Segment {
        var name: String
        var header: SegmentHeader
        /// Where the next frame goes.
        var end: Int
    }

    /// Nobody else touches it while the journal lives, but for tests.
    package var disk: Disk
    private let makeSalt: () -> UInt64
    private var places: [EventID: Place] = [:]
    /// How many bytes of files the records need that count.
    package private(set) var liveByteCount = 0
    /// The file that is appended to; `nil` if there is none that can be trusted.
    private var segment: Segment?
    /// Files to be given up for the next new one; `true` for those to be kept as evidence.
    private var outdated: [(name: String, isDamaged: Bool)] = []
    private var lastNumber: UInt64 = 0
    private var lastSegment: UInt64 = 0
    /// Keys whose records have gone without the disk's knowing.
    private var unwrittenRemovals: [EventID] = []
    /// From which size on the file is written anew.
    private var compactionByteCount = 0

    /// How much more than what counts a file may hold.
    private static var slack: Int { 4 << 20 }

    package init(disk: Disk, makeSalt: @escaping () -> UInt64) {
        self.disk = disk
        self.makeSalt = makeSalt
    }

    // MARK: - Opening

    /// Reads what is there, and begins a new file with it. If that is not possible the report says
    /// why, and the next write tries again. Throws if the folder cannot be read, or holds what a
    /// newer release has written.
    package mutating func open() throws(JournalError) -> JournalReport {
        var report = JournalReport()
        var newest: [EventID: JournalFrame] = [:]
        for name in try disk.fileNames().sorted() {
            guard let number = Self.number(ofFile: name) else {
                continue
            }
            lastSegment = max(lastSegment, number)
            let reader = try JournalReader(disk.read(name))
            // A file without a header, but with something in it, may have been a good one.
            let isDamaged =
                reader.damagedCount > 0 || (!reader.hasHeader && reader.droppedByteCount > 64)
            report.damagedCount += reader.damagedCount
            report.droppedByteCount += reader.droppedByteCount
            if isDamaged {
                report.evidence.append(Self.evidenceName(of: name))
            }
            outdated.append((name, isDamaged))
            for entry in reader.entries {
                lastNumber = max(lastNumber, entry.frame.number)
                take(entry, of: name, &newest)
            }
        }
        let frames = newest.values.filter { $0.body != nil }.sorted { $0.number < $1.number }
        report.records = frames.compactMap(\.body)
        for frame in newest.values where frame.body == nil {
            places[frame.key] = nil
        }
        liveByteCount = places.values.reduce(0) { $0 + $1.byteCount }
        do {
            try beginAnew()
        } catch {
            report.fault = error.description
        }
        return report
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
            try append(changes)
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
            compactionByteCount = segment.end + Self.slack
            try? beginAnew()
        }
    }

    private mutating func append(_ changes: [JournalChange]) throws(JournalError) {
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

    private mutating func abandonSegment() {
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

    // MARK: - A new file

    /// Writes what counts into a new file, and gives up the others.
    private mutating func beginAnew() throws(JournalError) {
        guard lastSegment < JournalFrame.numberMax else {
            throw .outOfNumbers
        }
        lastSegment += 1
        let name = Self.fileName(lastSegment)
        let header = SegmentHeader(number: lastSegment, salt: makeSalt())
        var copied: [EventID: Place] = [:]
        var end = 0
        do throws(JournalError) {
            try disk.create(name)
            end = try copy(into: name, header, &copied)
            try disk.sync(name)
            try disk.syncFolder()
        } catch {
            try? disk.remove(name)
            throw error
        }
        if let segment {
            outdated.append((segment.name, false))
        }
        places = copied
        liveByteCount = copied.values.reduce(0) { $0 + $1.byteCount }
        segment = Segment(name: name, header: header, end: end)
        compactionByteCount = 2 * liveByteCount + Self.slack
        for file in outdated {
            if file.isDamaged {
                try? disk.rename(file.name, to: Self.evidenceName(of: file.name))
            } else {
                try? disk.remove(file.name)
            }
        }
        outdated = []
        unwrittenRemovals = []
    }

    private mutating func copy(
        into name: String, _ header: SegmentHeader, _ copied: inout [EventID: Place]
    ) throws(JournalError) -> Int {
        var bytes = header.encoded()
        var end = 0
        for (key, place) in places.sorted(by: { $0.value.number < $1.value.number }) {
            guard let frame = try frame(at: place) else {
                if let damaged = outdated.firstIndex(where: { $0.name == place.file }) {
                    outdated[damaged].isDamaged = true
                }
                continue
            }
            copied[key] = Place(
                file: name, offset: end + bytes.count, byteCount: frame.byteCount,
                number: frame.number)
            bytes += frame.encoded(salt: header.salt)
            if bytes.count > 1 << 20 {
                try disk.write(bytes, to: name, at: end)
                end += bytes.count
                bytes = []
            }
        }
        try disk.write(bytes, to: name, at: end)
        return end + bytes.count
    }

    /// `nil` if it is no longer what it was.
    private func frame(at place: Place) throws(JournalError) -> JournalFrame? {
        let start = try disk.read(place.file, at: 0, byteCount: SegmentHeader.byteCount)
        guard let header = try SegmentHeader(start[...]) else {
            return nil
        }
        let bytes = try disk.read(place.file, at: place.offset, byteCount: place.byteCount)
        guard case .frame(let frame) = JournalFrame.parse(bytes[...], salt: header.salt),
            frame.number == place.number
        else {
            return nil
        }
        return frame
    }

    // MARK: - Names

    private static var suffix: String { ".journal" }

    private static func fileName(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits + suffix
    }

    private static func number(ofFile name: String) -> UInt64? {
        guard name.hasSuffix(suffix), let number = UInt64(name.dropLast(suffix.count)),
            number <= JournalFrame.numberMax, fileName(number) == name
        else {
            return nil
        }
        return number
    }

    private static func evidenceName(of name: String) -> String {
        name + ".damaged"
    }
}
