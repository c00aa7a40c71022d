// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc

/// A recording in the files of a directory, of which the oldest is removed first.
///
/// Each file begins with a block, so that every file can be read without the others. A line that a crash has
/// torn is the last of its file, and is skipped.
struct SegmentedRecording: GrowingRecording {
    /// The limit of the size of a file in bytes. A keyframe that is larger has a file of its own.
    static let segmentByteCountMax = 16_777_216
    private static let suffix = ".cascade-recording"

    /// The limit of the size of all files in bytes.
    let byteCountMax: Int
    private(set) var index = RecordingIndex()
    private(set) var byteCount = 0
    private let directory: String
    private let segmentByteCountMax: Int
    private var segments: [Segment] = []
    private var blocks: [Place] = []
    private var file: WrittenFile?

    private struct Segment {
        let number: Int
        var byteCount: Int
        var blockCount: Int
    }

    /// Where a block is.
    private struct Place {
        let segment: Int
        let offset: Int
        var byteCount: Int
    }

    /// Opens a directory, and reads what it has. Creates it if it does not exist. Throws ``RecordingError``
    /// if it cannot be used.
    init(
        directory: String, byteCountMax: Int,
        segmentByteCountMax: Int = Self.segmentByteCountMax
    ) throws {
        self.directory = directory
        self.byteCountMax = byteCountMax
        self.segmentByteCountMax = segmentByteCountMax
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw RecordingError("cannot create \(directory)", errno)
        }
        for number in try Self.segmentNumbers(in: directory) {
            try readSegment(number)
        }
    }

    private static func segmentNumbers(in directory: String) throws -> [Int] {
        guard let stream = opendir(directory) else {
            throw RecordingError("cannot read \(directory)", errno)
        }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)) {
                numbers.append(number)
            }
        }
        return numbers.sorted()
    }

    private func path(_ number: Int) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
        return "\(directory)/\(zeros)\(digits)\(Self.suffix)"
    }

    /// Takes a file that is there already.
    private mutating func readSegment(_ number: Int) throws {
        let file = try ReadFile(path(number))
        var segment = Segment(number: number, byteCount: file.byteCount, blockCount: 0)
        try file.forEachLine { line, offset in
            guard let head = RecordedLine.Head(line) else {
                return true
            }
            switch head.kind {
            case .keyframe:
                segment.blockCount += 1
                index.beginBlock(at: head.when)
                blocks.append(Place(segment: number, offset: offset, byteCount: 0))
            case .difference: index.recordDifference(at: head.when)
            case .ended: index.recordEnded(at: head.when)
            case .logged: RecordedLine(line).map { index.record($0) }
            case .other: break
            }
            if segment.blockCount > 0 {
                blocks[blocks.count - 1].byteCount =
                    offset + line.count + 1
                    - blocks[blocks.count - 1].offset
            }
            return true
        }
        byteCount += segment.byteCount
        segments.append(segment)
    }

    // MARK: - Writing

    mutating func append(_ piece: Recorder.Piece) throws -> Bool {
        let written = file == nil ? 0 : segments.last?.byteCount ?? 0
        let isFull = written > 0 && written + piece.bytes.count > segmentByteCountMax
        guard piece.beginsBlock || (file != nil && !isFull) else {
            return false
        }
        if file == nil || isFull {
            try beginSegment()
        }
        removeOldest(for: piece.bytes.count)
        let last = segments.count - 1
        do {
            try file?.append(piece.bytes)
        } catch {
            // What follows must not be appended to half a line.
            if file?.truncate(to: segments[last].byteCount) != true {
                file = nil
            }
            throw error
        }
        if piece.beginsBlock {
            index.beginBlock(at: piece.when)
            blocks.append(
                Place(
                    segment: segments[last].number, offset: segments[last].byteCount, byteCount: 0))
            segments[last].blockCount += 1
        }
        blocks[blocks.count - 1].byteCount += piece.bytes.count
        segments[last].byteCount += piece.bytes.count
        byteCount += piece.bytes.count
        for line in piece.lines {
            index.record(line)
        }
        return true
    }

    private mutating func beginSegment() throws {
        let number = (segments.last?.number ?? 0) + 1
        file = try WrittenFile(path(number))
        segments.append(Segment(number: number, byteCount: 0, blockCount: 0))
    }

    /// Removes the oldest files until there is room for some bytes.
    private mutating func removeOldest(for count: Int) {
        while byteCount + count > byteCountMax, segments.count > 1 {
            let oldest = segments.removeFirst()
            unlink(path(oldest.number))
            byteCount -= oldest.byteCount
            blocks.removeFirst(oldest.blockCount)
            index.removeFirst(oldest.blockCount)
        }
    }

    // MARK: - Reading

    func readBlock(_ number: Int, _ body: (RecordedLine) -> Bool) throws {
        let place = blocks[number]
        try ReadFile(path(place.segment)).read(place.offset, place.byteCount)
            .forEachRecordedLine(body)
    }
}
