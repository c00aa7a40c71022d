// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A block of a recording: a keyframe and the differences after it.
struct RecordedBlock: Sendable {
    /// The time of the keyframe.
    let from: Timestamp
    /// The time up to which the block tells what was.
    var until: Timestamp
    var firstEvent: Timestamp?
    var lastEvent: Timestamp?
    /// The number of messages that ended.
    var endedCount = 0
    /// Whether the block begins with the tree.
    var hasTree = true

    init(from: Timestamp) {
        self.from = from
        until = from
    }

    fileprivate mutating func recordEvent(at when: Timestamp) {
        firstEvent = min(firstEvent ?? when, when)
        lastEvent = max(lastEvent ?? when, when)
        until = max(until, when)
    }
}

/// What is known of a recording without reading it.
struct RecordingIndex: Sendable {
    /// The number of monitor events other than ended messages that are kept as marks.
    static let markCountMax = 500

    private(set) var blocks: [RecordedBlock] = []
    private(set) var history = OutcomeHistory()
    private(set) var marks: [(when: Timestamp, text: String)] = []

    /// The time of which moments can be shown; `nil` if nothing is recorded.
    var extent: ClosedRange<Timestamp>? {
        guard let first = blocks.first, let last = blocks.last else {
            return nil
        }
        return first.from...max(first.from, last.until)
    }

    // MARK: - Growing

    mutating func beginBlock(at when: Timestamp, hasTree: Bool = true) {
        var block = RecordedBlock(from: when)
        block.hasTree = hasTree
        blocks.append(block)
    }

    /// Takes a line of the last block.
    mutating func record(_ line: RecordedLine) {
        switch line {
        case .difference(let when): recordDifference(at: when)
        case .ended(let when, _): recordEnded(at: when)
        case .happening(let when, let text): recordMark(at: when, text)
        case .second(let row): history.append(row)
        case .keyframe, .node, .activity, .gone, .value, .noValue: break
        }
    }

    mutating func recordDifference(at when: Timestamp) {
        withLastBlock { $0.until = max($0.until, when) }
    }

    mutating func recordEnded(at when: Timestamp) {
        withLastBlock {
            $0.recordEvent(at: when)
            $0.endedCount += 1
        }
    }

    mutating func recordMark(at when: Timestamp, _ text: String) {
        withLastBlock { $0.recordEvent(at: when) }
        marks.append((when, text))
        marks.removeFirst(max(0, marks.count - Self.markCountMax))
    }

    mutating func recordOutcomes(_ row: OutcomeHistory.Row) {
        history.append(row)
    }

    private mutating func withLastBlock(_ body: (inout RecordedBlock) -> Void) {
        if !blocks.isEmpty {
            body(&blocks[blocks.count - 1])
        }
    }

    /// Forgets the oldest blocks.
    mutating func removeFirst(_ count: Int) {
        blocks.removeFirst(count)
        let from = blocks.first?.from ?? Timestamp(microseconds: .max)
        history.removeRows(before: from)
        marks.removeFirst(marks.prefix { $0.when < from }.count)
    }

    // MARK: - Finding

    /// The number of the last block that begins at a moment or before.
    func block(at when: Timestamp) -> Int {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].from <= when {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return max(0, low - 1)
    }
}
