// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A file of `cascadectl capture`, of which moments are shown without a bus.
///
/// The file is read once for an index of byte offsets. A moment then needs the keyframe before it, and the
/// lines between them.
struct CaptureRecording: Recording {
    /// The size in bytes after which a block ends though no keyframe follows.
    private static let blockByteCountMax = 8_388_608

    let fileName: String?
    private(set) var index = RecordingIndex()
    private let file: ReadFile
    private var places: [(offset: Int, byteCount: Int)] = []

    /// Reads the index of a file. Throws ``RecordingError`` if it is not a capture.
    init(_ path: String) throws {
        file = try ReadFile(path)
        fileName = path.split(separator: "/").last.map(String.init)
        var clock = CaptureClock()
        var counts = OutcomeCounter()
        var isFirst = true
        try file.forEachLine { line, offset in
            if isFirst {
                isFirst = false
                guard let schema = try? JSONValue(parsing: line)["schema"]?.string,
                    schema == "cascade/v1/capture"
                else {
                    throw RecordingError(
                        "\(path) is not a capture: it does not begin with 'cascade/v1/capture'")
                }
                return true
            }
            if let line = CaptureLine(line, &clock) {
                record(line, at: offset, &counts)
            }
            if !places.isEmpty {
                places[places.count - 1].byteCount =
                    offset + line.count + 1 - places[places.count - 1].offset
            }
            return true
        }
        guard !isFirst else {
            throw RecordingError("\(path) is not a capture: it is empty")
        }
        counts.end().map { index.recordOutcomes($0) }
    }

    /// Takes a line into the index.
    private mutating func record(
        _ line: CaptureLine, at offset: Int, _ counts: inout OutcomeCounter
    ) {
        let isFull = places.last.map { offset - $0.offset > Self.blockByteCountMax } ?? true
        if line.kind == .keyframe || isFull {
            // Clocks are set back; blocks are in order.
            let when = max(line.when, index.blocks.last?.until ?? line.when)
            index.beginBlock(at: when, hasTree: line.kind == .keyframe)
            places.append((offset, 0))
        }
        switch line.kind {
        case .keyframe: break
        case .ended:
            index.recordEnded(at: line.when)
            counts.add(line.outcome ?? "", at: line.when).map { index.recordOutcomes($0) }
        case .underWay: index.recordDifference(at: line.when)
        case .sampled:
            index.recordDifference(at: line.when)
            for (name, count) in line.json?["leftOut"]?.members.map({ ($0.key, $0.value) }) ?? [] {
                counts.add(name, count: count.integer() ?? 0, at: line.when)
                    .map { index.recordOutcomes($0) }
            }
        case .happening:
            if line.json != nil {
                index.recordMark(at: line.when, line.text)
            }
        }
    }

    func readBlock(_ number: Int, _ body: (RecordedLine) -> Bool) throws {
        let place = places[number]
        let bytes = try file.read(place.offset, place.byteCount)
        var clock = CaptureClock()
        var tree = CaptureTree()
        bytes.withUnsafeBytes { bytes in
            bytes.forEachLine { line in
                guard let line = CaptureLine(line, &clock) else {
                    return true
                }
                return Self.lines(of: line, &tree).allSatisfy(body)
            }
        }
    }

    /// What a line of the capture is in a recording.
    private static func lines(of line: CaptureLine, _ tree: inout CaptureTree) -> [RecordedLine] {
        switch line.kind {
        case .underWay: return []
        case .ended: return [.ended(line.when, line.text)]
        case .keyframe, .sampled, .happening:
            guard let json = line.json else {
                return []
            }
            if line.kind == .keyframe {
                return tree.read(json, at: line.when)
            }
            let begin = RecordedLine.difference(line.when)
            return line.kind == .sampled
                ? [begin, .value("leftOut", line.text)]
                : [begin] + tree.read(event: json, at: line.when)
                    + [.happening(line.when, line.text)]
        }
    }
}

/// Counts the outcomes of each second.
private struct OutcomeCounter {
    private var row: OutcomeHistory.Row?

    /// Counts messages. Returns the row of the second before, if another one has begun.
    mutating func add(
        _ outcome: String, count: UInt64 = 1, at when: Timestamp
    ) -> OutcomeHistory.Row? {
        let second = when.microseconds / 1_000_000 * 1_000 + 1_000
        var finished: OutcomeHistory.Row?
        if let row, row.when != second {
            finished = row
            self.row = nil
        }
        var row =
            row
            ?? OutcomeHistory.Row(
                when: second, length: 1_000,
                counts: Array(repeating: 0, count: BusView.outcomes.count))
        if let place = BusView.outcomes.firstIndex(of: outcome) {
            row.counts[place] += count
        }
        self.row = row
        return finished
    }

    /// The row of the last second.
    mutating func end() -> OutcomeHistory.Row? {
        defer { row = nil }
        return row
    }
}
