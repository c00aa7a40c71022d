// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The journal's files. A new file begins with all live records and replaces the earlier files.
extension Journal {
    /// Writes the live records into a new file, and removes the earlier files.
    mutating func beginAnew() throws(JournalError) {
        guard lastSegment < JournalFrame.numberMax else {
            throw .outOfNumbers
        }
        lastSegment += 1
        let name = Self.fileName(lastSegment)
        let header = SegmentHeader(number: lastSegment, salt: makeSalt())
        var copied: [EventID: Place] = [:]
        try disk.create(name)
        var end = 0
        let damageBefore = damage
        do throws(JournalError) {
            end = try copy(into: name, header, &copied)
            try disk.sync(name)
            try disk.syncFolder()
        } catch {
            abandon(name)
            // The next attempt finds the same damage again.
            damage = damageBefore
            throw error
        }
        abandonSegment()
        places = copied
        liveByteCount = copied.values.reduce(0) { $0 + $1.byteCount }
        segment = Segment(name: name, header: header, end: end)
        diskByteCount = disk.totalByteCount
        compactionByteCount = 2 * liveByteCount + slack
        unwrittenRemovals = []
        retireOutdated()
    }

    /// Removes a new file that could not be completed. If the removal fails too, nothing may be
    /// appended to the earlier file: its later records would be lost if the new file has a
    /// checkpoint.
    private mutating func abandon(_ name: String) {
        do throws(JournalError) {
            try disk.remove(name)
            try disk.syncFolder()
        } catch {
            outdated.append((name, false))
            abandonSegment()
        }
    }

    /// Removes obsolete files, or renames damaged ones. A file that stays is harmless, because the
    /// checkpoint of the current file supersedes it.
    private mutating func retireOutdated() {
        var left: [(name: String, isDamaged: Bool)] = []
        for file in outdated {
            do throws(JournalError) {
                if file.isDamaged {
                    try disk.rename(file.name, to: Self.evidenceName(of: file.name))
                } else {
                    try disk.remove(file.name)
                }
            } catch {
                left.append(file)
            }
        }
        outdated = left
    }

    private mutating func copy(
        into name: String, _ header: SegmentHeader, _ copied: inout [EventID: Place]
    ) throws(JournalError) -> Int {
        var bytes = header.encoded()
        var end = 0
        for (key, place) in places.sorted(by: { $0.value.number < $1.value.number }) {
            guard let frame = try frame(at: place) else {
                recordDamage(in: place.file)
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

    /// Records that a frame is damaged since it was written. Its file is kept as evidence.
    private mutating func recordDamage(in file: String) {
        damage.count += 1
        if !damage.evidence.contains(Self.evidenceName(of: file)) {
            damage.evidence.append(Self.evidenceName(of: file))
        }
        if segment?.name == file {
            abandonSegment()
        }
        for index in outdated.indices where outdated[index].name == file {
            outdated[index].isDamaged = true
        }
    }

    /// Reads a frame again. Returns `nil` if it is damaged.
    private func frame(at place: Place) throws(JournalError) -> JournalFrame? {
        let start = try disk.read(
            place.file, at: 0, byteCount: SegmentHeader.copyOffset + SegmentHeader.byteCount)
        guard let header = try SegmentHeader.find(in: start).header else {
            return nil
        }
        let bytes = try disk.read(place.file, at: place.offset, byteCount: place.byteCount)
        guard case .frame(let frame, _) = JournalFrame.parse(bytes[...], in: header),
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
