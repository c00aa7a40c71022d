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

    private var state = RecordedState()
    private var epoch: String?
    /// The version of the view up to which the recording goes.
    private(set) var version: UInt64 = 0
    private var isKeyframeDue = true
    private var keyframeByteCount = 0
    private var differenceByteCount = 0

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
    /// - Parameter isWhole: Whether the content is everything that is known rather than a difference.
    mutating func piece(of content: FrameContent, isWhole: Bool, now: Timestamp) -> Piece {
        // The clock may be set back; a recording is in order.
        let when = max(now, state.when)
        if isWhole {
            state = RecordedState()
            isKeyframeDue = true
        }
        epoch = content.epoch
        version = content.version
        let changes = lines(of: content, isWhole: isWhole, when: when)
        state.when = when
        for line in changes {
            state.apply(line)
        }
        let piece = Piece(when: when, beginsBlock: false, lines: [.difference(when)] + changes)
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

    private func lines(of content: FrameContent, isWhole: Bool, when: Timestamp) -> [RecordedLine] {
        var lines: [RecordedLine] = content.parts.sorted { $0.version < $1.version }.compactMap {
            switch $0.kind {
            case .nodes: Self.rowNumber($0.text).map { [text = $0.text] in .node($0, text) }
            case .gone: Int($0.text).map { .gone($0) }
            // What a whole content tells of the time before it is not of this recording.
            case .ended where !isWhole: .ended(Self.time(of: $0.text) ?? when, $0.text)
            case .happenings where !isWhole: .happening(Self.time(of: $0.text) ?? when, $0.text)
            case .seconds where !isWhole: .second($0.text)
            case .untoldBelow, .ended, .happenings, .seconds, .activity: nil
            }
        }
        lines += content.activity.compactMap { row in
            Self.rowNumber(row).map { .activity($0, row) }
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
