// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Something that can show moments of the past: the recorder's memory, its files, or a capture.
protocol Recording: Sendable {
    var index: RecordingIndex { get }
    /// The name of the file that is shown instead of a bus; `nil` if a bus is recorded.
    var fileName: String? { get }
    /// Whether texts may be no JSON, because they come from a file.
    var mayBeDamaged: Bool { get }

    /// Calls `body` with the lines of a block, until it returns `false`.
    func readBlock(_ number: Int, _ body: (RecordedLine) -> Bool) throws
}

/// A recording that grows.
protocol GrowingRecording: Recording {
    /// Appends a piece. Returns `false` if the piece has to begin a block, and is not appended.
    mutating func append(_ piece: Recorder.Piece) throws -> Bool
}

/// What is shown of a moment of the past.
struct PastMoment: Sendable {
    /// The moment, which lies in the extent of the recording.
    var when: Timestamp
    var state = RecordedState()
    /// The last messages that ended before the moment, oldest first.
    var ended: [String] = []
    /// The rows of outcomes of the whole recording.
    var seconds: [String] = []
    /// The monitor events other than ended messages, of the whole recording.
    var marks: [String] = []
    var extent: ClosedRange<Timestamp>
    /// The last monitor event before the moment, and the first after it.
    var previous: Timestamp?
    var next: Timestamp?
    /// The time around the moment in which nothing was recorded.
    var gap: Range<Timestamp>?
    /// The name of the file that is shown instead of a bus.
    var fileName: String?
    /// Whether the nodes are known.
    var hasTree: Bool
}

extension Recording {
    var fileName: String? { nil }
    var mayBeDamaged: Bool { true }

    /// The number of ended messages that a moment has.
    private var endedCountMax: Int { 400 }
    /// The number of blocks that are read for them before the block of the moment.
    private var endedBlockCountMax: Int { 4 }
    /// The time after which a recording that tells nothing has a gap: it tells something each second.
    private var gapMicroseconds: UInt64 { 5_000_000 }

    /// Returns what was so at a moment, or at the nearest one that is recorded; `nil` if nothing is.
    /// Throws if the recording cannot be read.
    ///
    /// - Parameter end: The time up to which nothing has changed since the last line; `nil` if that is
    ///   unknown.
    func moment(at wanted: Timestamp, end: Timestamp? = nil) throws -> PastMoment? {
        guard let recorded = index.extent else {
            return nil
        }
        let extent = recorded.lowerBound...max(recorded.upperBound, end ?? recorded.upperBound)
        let when = min(max(wanted, extent.lowerBound), extent.upperBound)
        let number = index.block(at: when)
        let block = index.blocks[number]
        var moment = PastMoment(when: when, extent: extent, hasTree: block.hasTree)
        // Events of the same millisecond are shown together.
        let begin = Timestamp(microseconds: when.microseconds - when.microseconds % 1_000)
        var effects = Effects(of: when)
        var known = when
        try readBlock(number) { line in
            switch line {
            case .keyframe(let time), .difference(let time): known = time
            case .ended(let time, let text):
                moment.recordEvent(at: time, begin)
                if time <= when {
                    moment.ended.append(text)
                }
            case .happening(let time, _):
                moment.recordEvent(at: time, begin)
                effects.recordMark(at: time)
            default: break
            }
            if known <= when {
                moment.state.apply(line)
            } else {
                effects.record(line, known: known)
            }
            return true
        }
        for line in effects.lines {
            moment.state.apply(line)
        }
        try addEarlierMessages(to: &moment, before: number)
        try addNeighbours(to: &moment, of: number, begin)
        if when.microseconds(since: block.until) > gapMicroseconds,
            number + 1 < index.blocks.count
        {
            moment.gap = block.until..<index.blocks[number + 1].from
        }
        if mayBeDamaged {
            moment.ended = moment.ended.filter { (try? JSONValue(parsing: $0)) != nil }
        }
        moment.fileName = fileName
        moment.seconds = index.history.rows.map(\.text)
        moment.marks = index.marks.map(\.text)
        return moment
    }

    private func addEarlierMessages(to moment: inout PastMoment, before number: Int) throws {
        var number = number
        var left = endedBlockCountMax
        while moment.ended.count < endedCountMax, number > 0, left > 0 {
            number -= 1
            guard index.blocks[number].endedCount > 0 else {
                continue
            }
            left -= 1
            var earlier: [String] = []
            try readBlock(number) { line in
                if case .ended(_, let text) = line {
                    earlier.append(text)
                }
                return true
            }
            moment.ended = earlier + moment.ended
        }
        moment.ended.removeFirst(max(0, moment.ended.count - endedCountMax))
    }

    /// Looks for the nearest monitor events in the blocks around, if the moment's has none.
    private func addNeighbours(
        to moment: inout PastMoment, of number: Int, _ begin: Timestamp
    ) throws {
        let blocks = index.blocks
        if moment.previous == nil {
            moment.previous =
                blocks[..<number].last { $0.lastEvent.map { $0 < begin } ?? false }?.lastEvent
        }
        let later = blocks[(number + 1)...].firstIndex {
            $0.lastEvent.map { $0 > moment.when } ?? false
        }
        guard moment.next == nil, let later else {
            return
        }
        // A message may be told a little after it has ended, and so in the next block.
        if let first = blocks[later].firstEvent, first > moment.when {
            moment.next = first
        } else {
            try readBlock(later) { line in
                switch line {
                case .ended(let time, _), .happening(let time, _):
                    moment.recordEvent(at: time, begin)
                default: break
                }
                return true
            }
        }
    }
}

/// What the last monitor event before a moment has changed, though the console learned of it after the
/// moment.
private struct Effects {
    private let moment: Timestamp
    private var later: [(known: Timestamp, line: RecordedLine)] = []
    private var last: Timestamp?
    private var next: Timestamp?

    init(of moment: Timestamp) {
        self.moment = moment
    }

    /// Takes the time of a monitor event other than an ended message.
    mutating func recordMark(at time: Timestamp) {
        if time <= moment {
            last = max(last ?? time, time)
        } else {
            next = min(next ?? time, time)
        }
    }

    /// Takes a line that became known after the moment.
    mutating func record(_ line: RecordedLine, known: Timestamp) {
        if known.microseconds(since: moment) <= PastMoment.effectMicroseconds {
            later.append((known, line))
        }
    }

    /// The lines that are due to the last monitor event: those of a little while, until another one.
    var lines: [RecordedLine] {
        guard let last else {
            return []
        }
        return later.filter { known, _ in
            known.microseconds(since: last) <= PastMoment.effectMicroseconds
                && next.map { known < $0 } ?? true
        }.map(\.line)
    }
}

extension PastMoment {
    /// The time in microseconds within which the console learns what a monitor event has changed.
    static let effectMicroseconds: UInt64 = 200_000

    /// Takes the time of a monitor event of the recording.
    ///
    /// - Parameter begin: The begin of the millisecond that is shown.
    fileprivate mutating func recordEvent(at time: Timestamp, _ begin: Timestamp) {
        if time < begin {
            previous = max(previous ?? time, time)
        } else if time > when {
            next = min(next ?? time, time)
        }
    }
}

// MARK: - Frames

extension PastMoment {
    /// The members of a recorded state that a frame of the past tells in another way.
    private static let told: Set<String> = ["when", "state", "since", "reason", "leftOut"]

    /// What a frame tells of the moment.
    var content: FrameContent {
        let milliseconds = { (when: Timestamp) in "\(when.microseconds / 1_000)" }
        var content = FrameContent(epoch: "past-\(when.microseconds)", version: 0)
        let add = { (kind: FrameContent.Kind, texts: [String]) in
            for text in texts {
                content.version += 1
                content.parts.append(.init(kind: kind, version: content.version, text: text))
            }
        }
        add(.nodes, state.nodes.sorted { $0.key < $1.key }.map(\.value))
        add(.seconds, seconds)
        add(.happenings, marks)
        add(.ended, ended)
        add(.activity, state.activity.sorted { $0.key < $1.key }.map(\.value))
        content.members = [
            .init("state", "\"past\""), .init("when", milliseconds(state.when)),
            .init("moment", milliseconds(when)), .init("from", milliseconds(extent.lowerBound)),
            .init("to", milliseconds(extent.upperBound)),
        ]
        content.members += state.values.filter { !Self.told.contains($0.key) }
            .sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }
        let further: [(String, String?)] = [
            ("previous", previous.map(milliseconds)), ("next", next.map(milliseconds)),
            ("then", state.values["state"]), ("reason", state.values["reason"]),
            ("gap", gap.map { "[\(milliseconds($0.lowerBound)),\(milliseconds($0.upperBound))]" }),
            ("file", fileName.map { JSONValue.string($0).text }),
            ("noTree", hasTree ? nil : "true"),
        ]
        content.members += further.compactMap { name, text in text.map { .init(name, $0) } }
        // What the bus left out is told once a second, and holds for that second.
        if let leftOut = state.values["leftOut"], let time = Recorder.time(of: leftOut),
            when.microseconds(since: time) < 2_000_000
        {
            content.members.append(.init("leftOut", leftOut))
        }
        return content
    }
}
