// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What pages know of a bus at a moment: a keyframe and the differences after it. Values are JSON texts.
struct RecordedState: Equatable, Sendable {
    var when = Timestamp(microseconds: 0)
    /// The rows of the nodes by their numbers.
    var nodes: [Int: String] = [:]
    /// The rows of the nodes' activity by their numbers.
    var activity: [Int: String] = [:]
    /// The members of frames that are told whole.
    var values: [String: String] = [:]

    mutating func apply(_ line: RecordedLine) {
        switch line {
        case .keyframe(let when):
            self = RecordedState()
            self.when = when
        case .difference(let when): self.when = when
        case .node(let number, let row): nodes[number] = row
        case .activity(let number, let row): activity[number] = row
        case .gone(let number):
            nodes[number] = nil
            activity[number] = nil
        case .value(let name, let text): values[name] = text
        case .noValue(let name): values[name] = nil
        case .ended, .happening, .second: break
        }
    }

    /// The lines of a keyframe with this state.
    var keyframe: [RecordedLine] {
        [.keyframe(when)]
            + values.sorted { $0.key < $1.key }.map { .value($0.key, $0.value) }
            + nodes.sorted { $0.key < $1.key }.map { .node($0.key, $0.value) }
            + activity.sorted { $0.key < $1.key }.map { .activity($0.key, $0.value) }
    }
}
