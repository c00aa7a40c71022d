// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Makes the lines of a recording from the same contents that pages get.
///
/// A pure state machine: it keeps the state that the lines written so far add up to, and returns the lines
/// that are to be written next.
struct Recorder: Sendable {
    /// The number of bytes of differences after which another keyframe is due. It bounds what has to be
    /// read for a moment.
    static let blockByteCount = 524_288

    /// Lines to append to a recording.
    struct Piece: Sendable {
        let when: Timestamp
        /// Whether the lines begin with a keyframe.
        let beginsBlock: Bool
        let lines: [RecordedLine]
        /// The lines as they are stored.
        let bytes: [UInt8]

        init(when: Timestamp, beginsBlock: Bool, lines: [RecordedLine]) {
            self.when = when
            self.beginsBlock = beginsBlock
            self.lines = lines
            var bytes: [UInt8] = []
            for line in lines {
                line.write(to: &bytes)
            }
            self.bytes = bytes
        }
    }

    /// A version of the view, and when the console came to know all up to it.
    struct Arrival: Sendable {
        let version: UInt64
        let when: Timestamp
    }

    private var state = RecordedState()
    private var epoch: String?
    /// The version of the view up to which the recording goes.
    private(set) var version: UInt64 = 0
    private var isKeyframeDue = true
    private var keyframeByteCount = 0
    private var differenceByteCount = 0

    /// - Parameter end: The end of an earlier recording that this one continues. The clock may be set back
    ///   since; a recording is in order.
    init(after end: Timestamp? = nil) {
        state.when = end ?? state.when
    }

    /// The version from which the recording goes on; `nil` if it has to begin anew.
    func after(in view: BusView) -> UInt64? {
        epoch == String(view.epoch) && version <= view.version ? version : nil
    }

    /// Forgets what the bus has told: the recording is interrupted.
    mutating func pause() {
        epoch = nil
        isKeyframeDue = true
    }

    /// Returns the lines that tell a content.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the content is everything that is known rather than a difference.
    ///   - arrivals: When its parts became known, in their order. What is newer became known now.
    mutating func piece(
        of content: FrameContent, isWhole: Bool, arrivals: [Arrival] = [], now: Timestamp
    ) -> Piece {
        // The clock may be set back; a recording is in order.
        let when = max(now, state.when)
        if isWhole {
            state = RecordedState()
            isKeyframeDue = true
        }
        epoch = content.epoch
        version = content.version
        let changes = lines(of: content, isWhole: isWhole, arrivals, when: when)
        for line in changes {
            state.apply(line)
        }
        let piece = Piece(when: when, beginsBlock: false, lines: changes)
        guard isKeyframeDue || differenceByteCount >= max(Self.blockByteCount, keyframeByteCount)
        else {
            differenceByteCount += piece.bytes.count
            return piece
        }
        return beginningBlock(piece)
    }

    /// Returns a piece that tells the same, and begins a block.
    mutating func beginningBlock(_ piece: Piece) -> Piece {
        isKeyframeDue = false
        // The keyframe has the changed state already; what happened follows it.
        let keyframe = state.keyframe
        let begun = Piece(
            when: piece.when, beginsBlock: true, lines: keyframe + piece.lines.filter(\.isOfLog))
        // A large keyframe is not repeated more often than its size is worth.
        keyframeByteCount = begun.bytes.count
        differenceByteCount = 0
        return begun
    }

    private func lines(
        of content: FrameContent, isWhole: Bool, _ arrivals: [Arrival], when: Timestamp
    ) -> [RecordedLine] {
        var lines: [RecordedLine] = []
        var arrivals = arrivals[...]
        var last = state.when
        for part in content.parts.sorted(by: { $0.version < $1.version }) {
            arrivals = arrivals.drop { $0.version < part.version }
            let arrival = isWhole ? nil : arrivals.first?.when
            let known = min(max(arrival ?? when, last), when)
            if known > last {
                lines.append(.difference(known))
                last = known
            }
            lines += line(of: part, isWhole: isWhole, when: known).map { [$0] } ?? []
        }
        if lines.isEmpty || last < when {
            lines.append(.difference(when))
        }
        for member in content.members
        where member.name != "when" && state.values[member.name] != member.text {
            lines.append(.value(member.name, member.text))
        }
        // Why and since when the bus is away is told only while it is, and the number of untold nodes only
        // while there are some.
        let names = Set(content.members.map(\.name))
        for name in ["since", "reason", "untold"]
        where state.values[name] != nil && !names.contains(name) {
            lines.append(.noValue(name))
        }
        return lines
    }

    private func line(
        of part: FrameContent.Part, isWhole: Bool, when: Timestamp
    ) -> RecordedLine? {
        switch part.kind {
        case .nodes: Self.rowNumber(part.text).map { .node($0, part.text) }
        case .activity: Self.rowNumber(part.text).map { .activity($0, part.text) }
        case .gone: Int(part.text).map { .gone($0) }
        // What a whole content tells of the time before it is not of this recording.
        case .ended where !isWhole: .ended(Self.time(of: part.text) ?? when, part.text)
        case .happenings where !isWhole: .happening(Self.time(of: part.text) ?? when, part.text)
        case .seconds where !isWhole: .second(part.text)
        case .untoldBelow, .ended, .happenings, .seconds: nil
        }
    }

    /// The number at the beginning of the row of a node.
    private static func rowNumber(_ row: String) -> Int? {
        Int(
            row.utf8.dropFirst().prefix { $0 != UInt8(ascii: ",") }.reduce(into: "") {
                $0.unicodeScalars.append(Unicode.Scalar($1))
            })
    }

    /// The time of a monitor event: its first member but for the schema.
    static func time(of event: String) -> Timestamp? {
        let head = String(decoding: event.utf8.prefix(80), as: UTF8.self)
        return head.firstRange(of: "\"when\":\"").flatMap { range in
            Timestamp(head[range.upperBound...].prefix(27))
        }
    }
}

extension RecordedLine {
    /// Whether the line says what happened, rather than what is.
    var isOfLog: Bool {
        switch self {
        case .ended, .happening, .second: true
        default: false
        }
    }
}
