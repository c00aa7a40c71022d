// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct RecorderTests {
    /// A moment of the test, in milliseconds since its beginning.
    private static func time(_ milliseconds: Int) -> Timestamp {
        Timestamp(microseconds: 1_800_000_000_000_000 + Int64(milliseconds) * 1_000)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a restored moment is what there was`(seed: UInt64) throws {
        var (bus, recorder, recording) = (RecordedBus(seed: seed), Recorder(), MemoryRecording())
        bus.payloadByteCount = 10_000
        append(bus.whole, isWhole: true, Self.time(-1), &recorder, &recording)
        var states: [RecordedState] = []
        var endedCounts: [Int] = []
        for step in 0..<800 {
            let when = Self.time(step * 500)
            append(bus.change(at: when), isWhole: false, when, &recorder, &recording)
            states.append(bus.state)
            endedCounts.append(bus.ended.count)
        }
        #expect(recording.index.blocks.count > 3)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let step = Int.random(in: 0..<800, using: &generator)
            let offset = step == 799 ? 0 : Int.random(in: 0..<100, using: &generator)
            let moment = try #require(try recording.moment(at: Self.time(step * 500 + offset)))
            // Neither is printed whole if they differ.
            let isSame = moment.state == states[step]
            #expect(isSame, "at step \(step)")
            let ended = bus.ended.prefix(endedCounts[step]).suffix(400).map(\.text)
            // Large messages are not sought through the whole recording.
            let isSameEnd = moment.ended == ended.suffix(moment.ended.count)
            #expect(moment.ended.count >= min(ended.count, 100))
            #expect(isSameEnd, "at step \(step)")
        }
    }

    @Test func `the oldest is forgotten first, and the bound in bytes holds at each step`() throws {
        var (bus, recorder) = (RecordedBus(seed: 3), Recorder())
        bus.payloadByteCount = 10_000
        var recording = MemoryRecording(byteCountMax: 4_000_000)
        var states: [Timestamp: RecordedState] = [:]
        for step in 0..<3_000 {
            let when = Self.time(step * 500)
            append(bus.change(at: when), isWhole: step == 0, when, &recorder, &recording)
            states[when] = bus.state
            #expect(recording.byteCount <= 4_000_000)
        }
        let extent = try #require(recording.index.extent)
        #expect(extent.lowerBound > Self.time(0))
        #expect(extent.upperBound == Self.time(1_499_500))
        #expect(recording.byteCount > 2_000_000)
        // What is asked for before the extent is shown at its beginning.
        let oldest = try #require(try recording.moment(at: Self.time(0)))
        #expect(oldest.when == extent.lowerBound)
        let isSame = oldest.state == states[extent.lowerBound]
        #expect(isSame)
        #expect(
            recording.index.history.rows.allSatisfy {
                $0.when >= Self.milliseconds(extent.lowerBound)
            })
        #expect(recording.index.marks.allSatisfy { $0.when >= extent.lowerBound })
    }

    @Test func `a recording in memory has 32 MiB, to the byte`() throws {
        let bound = 32 * 1_048_576
        let first = Self.piece(0, beginsBlock: true, byteCount: bound / 2)
        for (byteCount, blockCount) in [(bound / 2, 2), (bound / 2 + 1, 1)] {
            var recording = MemoryRecording()
            let isBegun = recording.append(first)
            let isAppended = recording.append(
                Self.piece(1, beginsBlock: true, byteCount: byteCount))
            #expect(isBegun && isAppended)
            #expect(recording.index.blocks.count == blockCount)
            #expect(recording.byteCount == (blockCount == 2 ? bound : byteCount))
        }
        // A difference for which the only block has no room begins another block.
        for (byteCount, hasRoom) in [(bound / 2, true), (bound / 2 + 1, false)] {
            var recording = MemoryRecording()
            _ = recording.append(first)
            let isAppended = recording.append(
                Self.piece(1, beginsBlock: false, byteCount: byteCount))
            #expect(isAppended == hasRoom)
            #expect(recording.byteCount == (hasRoom ? bound : bound / 2))
        }
    }

    @Test func `what is read for a moment is bounded by the size of the tree`() throws {
        var (recorder, recording) = (Recorder(), MemoryRecording())
        var content = FrameContent(epoch: "1", version: 1)
        let unit = String(repeating: "u", count: 100)
        content.parts = (1...10_000).map { number in
            .init(kind: .nodes, version: 1, text: "[\(number),0,\"node\",\"live\",\"\(unit)\"]")
        }
        append(content, isWhole: true, Self.time(0), &recorder, &recording)
        let keyframeByteCount = recording.byteCount
        #expect(keyframeByteCount > 1_000_000)
        for step in 1...3_000 {
            content.version = UInt64(step + 1)
            content.parts = [
                .init(kind: .nodes, version: content.version, text: "[7,0,\"node\",\"\(step)\"]"),
                .init(
                    kind: .ended, version: content.version,
                    text: "{\"text\":\"\(String(repeating: "x", count: 2_000))\"}"),
            ]
            append(content, isWhole: false, Self.time(step * 10), &recorder, &recording)
        }
        #expect(recording.index.blocks.count > 3)
        for number in recording.index.blocks.indices {
            var bytes: [UInt8] = []
            recording.readBlock(number) { line in
                line.write(to: &bytes)
                return true
            }
            #expect(bytes.count < keyframeByteCount * 2 + 10_000)
        }
    }

    @Test func `a moment has what its event has changed, and nothing that the next one has`() throws
    {
        var (recorder, recording) = (Recorder(), MemoryRecording())
        append(
            FrameContent(epoch: "1", version: 1), isWhole: true, Self.time(0), &recorder, &recording
        )
        // Two nodes attach, and the console learns of each a little later, of both before it records. Another one
        // changes long after.
        var content = FrameContent(epoch: "1", version: 5)
        let event = { "{\"when\":\"\(Self.time($0))\",\"what\":\"attached\"}" }
        content.parts = [
            .init(kind: .nodes, version: 2, text: "[1,0,\"a\",\"live\"]"),
            .init(kind: .happenings, version: 3, text: event(1_000)),
            .init(kind: .nodes, version: 4, text: "[2,0,\"b\",\"live\"]"),
            .init(kind: .happenings, version: 5, text: event(1_040)),
        ]
        let arrivals = [(2, 1_005), (3, 1_030), (4, 1_045), (5, 1_066)].map {
            Recorder.Arrival(version: $0, when: Self.time($1))
        }
        let piece = recorder.piece(
            of: content, isWhole: false, arrivals: arrivals, now: Self.time(1_080))
        let isAppended = recording.append(piece)
        #expect(isAppended)
        content = FrameContent(epoch: "1", version: 6)
        content.parts = [.init(kind: .nodes, version: 6, text: "[3,0,\"c\",\"live\"]")]
        append(content, isWhole: false, Self.time(1_300), &recorder, &recording)
        for (moment, numbers) in [
            (999, []), (1_000, [1]), (1_039, [1]), (1_040, [1, 2]), (1_299, [1, 2]),
            (1_300, [1, 2, 3]),
        ] {
            let state = try #require(try recording.moment(at: Self.time(moment))).state
            #expect(state.nodes.keys.sorted() == numbers, "at \(moment)")
        }
        // Of a recording that runs, what was not told has not changed.
        let last = try #require(try recording.moment(at: Self.time(2_000), end: Self.time(1_900)))
        #expect(last.when == Self.time(1_900))
    }

    @Test func `a recording that continues another is in order though the clock was set back`()
        throws
    {
        var (recorder, recording) = (Recorder(after: Self.time(9_000)), MemoryRecording())
        append(
            FrameContent(epoch: "1", version: 1), isWhole: true, Self.time(0), &recorder, &recording
        )
        #expect(recording.index.blocks.first?.from == Self.time(9_000))
    }

    @Test func `each monitor event is reached by steps in both directions`() throws {
        var (bus, recorder, recording) = (RecordedBus(seed: 5), Recorder(), MemoryRecording())
        bus.payloadByteCount = 5_000
        for step in 0..<600 {
            let when = Self.time(step * 7)
            append(bus.change(at: when), isWhole: step == 0, when, &recorder, &recording)
        }
        #expect(recording.index.blocks.count > 1)
        var times: Set<Timestamp> = []
        for number in recording.index.blocks.indices {
            recording.readBlock(number) { line in
                switch line {
                case .ended(let when, _), .happening(let when, _): times.insert(when)
                default: break
                }
                return true
            }
        }
        var forward: [Timestamp] = []
        var moment = try #require(try recording.moment(at: Self.time(0)))
        while let next = moment.next {
            forward.append(next)
            moment = try #require(try recording.moment(at: next))
        }
        #expect(forward == times.filter { $0 > Self.time(0) }.sorted())
        var backward: [Timestamp] = []
        moment = try #require(try recording.moment(at: Self.time(600 * 7)))
        while let previous = moment.previous {
            backward.append(previous)
            moment = try #require(try recording.moment(at: previous))
        }
        #expect(backward.reversed() == times.filter { $0 < Self.time(599 * 7) }.sorted())
    }

    @Test func `a time in which nothing was recorded is told`() throws {
        var (bus, recorder, recording) = (RecordedBus(seed: 9), Recorder(), MemoryRecording())
        for step in 0..<20 {
            let when = Self.time(step * 100)
            append(bus.change(at: when), isWhole: step == 0, when, &recorder, &recording)
        }
        recorder.pause()
        append(bus.whole, isWhole: true, Self.time(60_000), &recorder, &recording)
        let within = try #require(try recording.moment(at: Self.time(30_000)))
        #expect(within.gap == Self.time(1_900)..<Self.time(60_000))
        #expect(try recording.moment(at: Self.time(1_900))?.gap == nil)
        #expect(try recording.moment(at: Self.time(60_000))?.gap == nil)
        #expect(try recording.moment(at: Self.time(60_000))?.state.nodes == bus.state.nodes)
    }

    @Test func `a frame of the past has the form of a frame of now, and is cut like one`() throws {
        var (recorder, recording) = (Recorder(), MemoryRecording())
        var content = FrameContent(epoch: "1", version: 1)
        content.members = [.init("state", "\"live\""), .init("bus", "\"test\"")]
        let unit = String(repeating: "u", count: 100)
        content.parts = (1...5_000).map { number in
            .init(kind: .nodes, version: 1, text: "[\(number),0,\"node\",\"live\",\"\(unit)\"]")
        }
        content.parts += (1...5_000).map { number in
            .init(kind: .activity, version: 1, text: "[\(number),1,2,3,4]")
        }
        append(content, isWhole: true, Self.time(0), &recorder, &recording)
        let moment = try #require(try recording.moment(at: Self.time(0)))
        let past = moment.content
        var numbers: [Int] = []
        var activityCount = 0
        var after: UInt64?
        while after != past.version {
            let frame = Frame(past, after: after, now: Self.time(5))
            #expect(frame.text.utf8.count <= Frame.byteCountMax)
            let json = try JSONValue(parsing: frame.text)
            #expect(json["state"] == "past")
            #expect(json["bus"] == "test")
            #expect(json["moment"]?.integer() == Self.milliseconds(Self.time(0)))
            activityCount += json["activity"]?.elements.count ?? 0
            #expect((json["after"] == nil) == (after == nil))
            numbers += json["nodes"]?.elements.compactMap { $0.elements.first?.integer() } ?? []
            after = try #require(json["frame"]?.integer())
            #expect(frame.hasMore == (after != past.version))
        }
        #expect(numbers.count == 5_000)
        #expect(Set(numbers).count == 5_000)
        #expect(activityCount == 5_000)
    }

    // MARK: - Parts

    private static func milliseconds(_ when: Timestamp) -> Int64 {
        when.microseconds / 1_000
    }

    /// A piece of so many bytes.
    private static func piece(
        _ moment: Int, beginsBlock: Bool, byteCount: Int
    ) -> Recorder.Piece {
        let when = time(moment)
        func piece(_ text: String) -> Recorder.Piece {
            Recorder.Piece(
                when: when, beginsBlock: beginsBlock,
                lines: [beginsBlock ? .keyframe(when) : .difference(when), .ended(when, text)])
        }
        let rest = byteCount - piece("").bytes.count
        return piece(String(repeating: "x", count: rest))
    }

    private func append(
        _ content: FrameContent, isWhole: Bool, _ when: Timestamp, _ recorder: inout Recorder,
        _ recording: inout MemoryRecording
    ) {
        let piece = recorder.piece(of: content, isWhole: isWhole, now: when)
        if !recording.append(piece) {
            let isAppended = recording.append(recorder.beginningBlock(piece))
            #expect(isAppended)
        }
    }
}
