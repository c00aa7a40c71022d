// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The journal's files, also called segments. A new file begins with all live records and replaces the
/// earlier files.
extension Journal {
    /// Writes the live records into a new file, and removes the earlier files.
    mutating func beginSegment() throws(JournalError) {
        guard lastSegment < JournalFrame.numberMax else {
            throw .outOfNumbers
        }
        lastSegment += 1
        let name = Self.fileName(lastSegment)
        let header = SegmentHeader(number: lastSegment, salt: makeSalt())
        var copied: [EventID: Location] = [:]
        try disk.create(name)
        var end = 0
        let damageBefore = damage
        do throws(JournalError) {
            end = try copy(into: name, header, &copied)
            try disk.sync(name)
            try disk.syncFolder()
        } catch {
            discard(name)
            // The next attempt finds the same damage again.
            damage = damageBefore
            throw error
        }
        abandonSegment()
        locations = copied
        liveByteCount = copied.values.reduce(0) { $0 + $1.byteCount }
        segment = Segment(name: name, header: header, end: end)
        diskByteCount = disk.totalByteCount
        compactionByteCount = 2 * liveByteCount + slack
        unwrittenRemovals = []
        removeObsoleteFiles()
    }

    /// Removes a new file that could not be completed. If the removal fails too, the earlier file is
    /// abandoned: if the new file has a checkpoint, later records of the earlier file would be lost.
    private mutating func discard(_ name: String) {
        do throws(JournalError) {
            try disk.remove(name)
            try disk.syncFolder()
        } catch {
            obsoleteFiles.append((name, false))
            abandonSegment()
        }
    }

    /// Removes obsolete files; damaged ones are renamed and kept. A file that cannot be removed is
    /// harmless, because the checkpoint of the current file supersedes it.
    private mutating func removeObsoleteFiles() {
        var remaining: [(name: String, isDamaged: Bool)] = []
        for file in obsoleteFiles {
            do throws(JournalError) {
                if file.isDamaged {
                    try disk.rename(file.name, to: Self.evidenceName(of: file.name))
                } else {
                    try disk.remove(file.name)
                }
            } catch {
                remaining.append(file)
            }
        }
        obsoleteFiles = remaining
    }

    /// Writes the header, the live records and a checkpoint. Returns the offset after them. Adds the
    /// locations of the copied records to `copied`.
    private mutating func copy(
        into name: String, _ header: SegmentHeader, _ copied: inout [EventID: Location]
    ) throws(JournalError) -> Int {
        var bytes = header.encoded()
        var end = 0
        for (key, location) in locations.sorted(by: { $0.value.number < $1.value.number }) {
            guard let frame = try frame(at: location) else {
                recordDamage(in: location.file)
                continue
            }
            copied[key] = Location(
                file: name, offset: end + bytes.count, byteCount: frame.byteCount,
                number: frame.number)
            bytes += frame.encoded(salt: header.salt)
            if bytes.count > 1 << 20 {
                try disk.write(bytes, to: name, at: end)
                end += bytes.count
                bytes = []
            }
        }
        if !copied.isEmpty {
            try disk.write(bytes, to: name, at: end)
            // A file system may write pages in any order. A checkpoint on disk without the records
            // before it would supersede the files that still contain them.
            try disk.sync(name)
            end += bytes.count
            bytes = []
        }
        bytes += JournalFrame.checkpoint(number: lastNumber).encoded(salt: header.salt)
        try disk.write(bytes, to: name, at: end)
        return end + bytes.count
    }

    /// Counts a frame that was damaged after it was written. Its file is kept as evidence.
    private mutating func recordDamage(in file: String) {
        damage.count += 1
        if !damage.evidence.contains(Self.evidenceName(of: file)) {
            damage.evidence.append(Self.evidenceName(of: file))
        }
        if segment?.name == file {
            abandonSegment()
        }
        for index in obsoleteFiles.indices where obsoleteFiles[index].name == file {
            obsoleteFiles[index].isDamaged = true
        }
    }

    /// Reads a frame from disk. Returns `nil` if it is damaged.
    private func frame(at location: Location) throws(JournalError) -> JournalFrame? {
        let start = try disk.read(
            location.file, at: 0, byteCount: SegmentHeader.copyOffset + SegmentHeader.byteCount)
        guard let header = try SegmentHeader.find(in: start).header else {
            return nil
        }
        let bytes = try disk.read(location.file, at: location.offset, byteCount: location.byteCount)
        guard case .frame(let frame, _) = JournalFrame.parse(bytes[...], in: header),
            frame.number == location.number
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

    static func number(ofFile name: String) -> UInt64? {
        guard name.hasSuffix(suffix), let number = UInt64(name.dropLast(suffix.count)),
            number <= JournalFrame.numberMax, fileName(number) == name
        else {
            return nil
        }
        return number
    }

    static func evidenceName(of name: String) -> String {
        name + ".damaged"
    }
}
