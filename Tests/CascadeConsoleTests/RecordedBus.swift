// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

@testable import CascadeConsole

/// A bus of random changes, which tells what a recorder is told, and knows what there was.
struct RecordedBus {
    private(set) var state = RecordedState()
    private(set) var ended: [(when: Timestamp, text: String)] = []
    private var version: UInt64 = 1
    private var lastNumber = 0
    private var content = FrameContent(epoch: "1", version: 1)
    private var generator: SeededGenerator
    /// The size of the payload of each message in bytes.
    var payloadByteCount = 20

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        state.values = ["state": "\"live\"", "bus": "\"test\""]
    }

    /// Changes something, and returns what a recorder is told of it.
    mutating func change(at when: Timestamp) -> FrameContent {
        content = FrameContent(epoch: "1", version: version)
        content.members = ["bus", "state"].map { .init($0, state.values[$0] ?? "") }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            changeOnce(at: when)
        }
        content.version = version
        state.when = when
        return content
    }

    /// Everything that is known, as a page is told at first.
    var whole: FrameContent {
        var content = FrameContent(epoch: "1", version: version)
        content.parts = state.nodes.map { .init(kind: .nodes, version: 1, text: $0.value) }
        content.parts += state.activity.map { .init(kind: .activity, version: 1, text: $0.value) }
        content.members = state.values.map { .init($0.key, $0.value) }
        return content
    }

    private mutating func changeOnce(at when: Timestamp) {
        version += 1
        let number = state.nodes.keys.sorted().randomElement(using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1:
            lastNumber += 1
            tellNode(lastNumber, "live")
        case 2:
            if let number {
                tellNode(number, ["live", "vacant"].randomElement(using: &generator) ?? "")
            }
        case 3:
            if let number, state.nodes.count > 8 {
                state.nodes[number] = nil
                state.activity[number] = nil
                // A node that left has no activity to be told.
                content.parts.removeAll {
                    $0.kind == .activity && $0.text.hasPrefix("[\(number),")
                }
                tell(.gone, "\(number)")
            }
        case 4...5:
            if let number {
                let row = "[\(number),\(version % 99),0,null,0]"
                state.activity[number] = row
                tell(.activity, row)
            }
        case 6:
            state.values["totals"] = "{\"uses\":\(version)}"
            content.members.append(.init("totals", "{\"uses\":\(version)}"))
            tell(.seconds, "[\(when.microseconds / 1_000),1000,\(version % 5),0]")
        case 7: tell(.happenings, "{\"when\":\"\(when)\",\"what\":\"attached\"}")
        default:
            let payload = String(repeating: "x", count: payloadByteCount)
            let text = "{\"when\":\"\(when)\",\"id\":\(version),\"payload\":\"\(payload)\"}"
            ended.append((when, text))
            tell(.ended, text)
        }
    }

    private mutating func tellNode(_ number: Int, _ state: String) {
        let row = "[\(number),0,\"n\(number)\",\"\(state)\",\"\(version)\"]"
        self.state.nodes[number] = row
        tell(.nodes, row)
    }

    private mutating func tell(_ kind: FrameContent.Kind, _ text: String) {
        content.parts.append(.init(kind: kind, version: version, text: text))
    }
}
