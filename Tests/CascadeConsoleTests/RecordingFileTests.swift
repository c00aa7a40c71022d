// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeTestSupport
import CascadeWire
import Glibc
import Testing

@testable import CascadeConsole

@Suite struct RecordingFileTests {
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
    }

    private var directory: String {
        temporary.path
    }

    // MARK: - Segments

    @Test func `a recording is there again when its directory is opened again`() throws {
        var (bus, recorder) = (RecordedBus(seed: 11), Recorder())
        bus.payloadByteCount = 6_000
        var recording = try opened(byteCountMax: 100_000_000)
        var states: [RecordedState] = []
        for step in 0..<1_000 {
            try append(&bus, step, &recorder, &recording)
            states.append(bus.state)
        }
        #expect(files.count > 2)
        for file in files {
            #expect(try size(of: file) <= 1_000_000)
            #expect(try mode(of: file) == 0o600)
        }
        let again = try opened(byteCountMax: 100_000_000)
        #expect(again.index.extent == recording.index.extent)
        #expect(again.index.history.rows == recording.index.history.rows)
        for step in [0, 1, 499, 500, 731, 999] {
            let moment = try #require(try again.moment(at: Self.time(step)))
            #expect(moment.state == states[step])
            #expect(moment.ended == (try recording.moment(at: Self.time(step))?.ended))
        }
    }

    @Test func `a torn line is skipped, and the recording goes on in another file`() throws {
        var (bus, recorder) = (RecordedBus(seed: 12), Recorder())
        var recording = try opened(byteCountMax: 100_000_000)
        for step in 0..<50 {
            try append(&bus, step, &recorder, &recording)
        }
        let before = try #require(try recording.moment(at: Self.time(49)))
        let file = try #require(files.first)
        #expect(truncate("\(directory)/\(file)", off_t(try size(of: file) - 3)) == 0)
        var again = try opened(byteCountMax: 100_000_000)
        let torn = try #require(try again.moment(at: Self.time(48)))
        #expect(torn.state == (try recording.moment(at: Self.time(48))?.state))
        recorder.pause()
        let piece = recorder.piece(of: bus.whole, isWhole: true, now: Self.time(60))
        let isAppended = try again.append(piece)
        #expect(isAppended)
        #expect(files.count == 2)
        #expect(try again.moment(at: Self.time(60))?.state.nodes == before.state.nodes)
    }

    @Test func `the files of a directory are bounded, and the oldest is removed first`() throws {
        var (bus, recorder) = (RecordedBus(seed: 13), Recorder())
        bus.payloadByteCount = 10_000
        var recording = try opened(byteCountMax: 3_000_000)
        for step in 0..<1_500 {
            try append(&bus, step, &recorder, &recording)
            #expect(recording.byteCount <= 3_000_000)
        }
        #expect(try files.reduce(0) { $0 + (try size(of: $1)) } == recording.byteCount)
        let extent = try #require(recording.index.extent)
        #expect(extent.lowerBound > Self.time(0))
        let oldest = try #require(try recording.moment(at: Self.time(0)))
        #expect(oldest.when == extent.lowerBound)
        #expect(!oldest.state.nodes.isEmpty)
    }

    // MARK: - Captures

    @Test func `a capture with keyframes has the tree of any moment`() throws {
        let recording = try capture([
            keyframe(0, ["/": "live", "/a": "live", "/a/b": "live"]),
            event(
                1, "ended",
                "\"kind\":\"event\",\"path\":\"/a\",\"id\":\"1\",\"outcome\":\"handled\""),
            event(2, "lost", "\"kind\":\"topology\",\"path\":\"/a\",\"pid\":7"),
            event(
                3, "ended", "\"kind\":\"event\",\"path\":\"/a\",\"id\":\"2\",\"outcome\":\"failed\""
            ),
            event(4, "attached", "\"kind\":\"topology\",\"path\":\"/c/d\",\"pid\":8"),
            event(5, "left", "\"kind\":\"topology\",\"path\":\"/a/b\""),
            keyframe(6, ["/": "live", "/z": "live"]),
        ])
        #expect(recording.index.extent == Self.time(0)...Self.time(6))
        #expect(try states(recording, at: 1) == ["/": "live", "a": "live", "b": "live"])
        #expect(try states(recording, at: 3) == ["/": "live", "a": "vacant", "b": "live"])
        #expect(
            try states(recording, at: 5)
                == ["/": "live", "a": "vacant", "c": "vacant", "d": "live"])
        #expect(try states(recording, at: 6) == ["/": "live", "z": "live"])
        let middle = try #require(try recording.moment(at: Self.time(3)))
        #expect(middle.hasTree)
        #expect(middle.ended.count == 2)
        #expect(middle.previous == Self.time(2))
        #expect(middle.next == Self.time(4))
        #expect(middle.seconds.count == 2)
        let parents = middle.state.nodes.values.compactMap { row in
            try? JSONValue(parsing: row).elements
        }
        #expect(parents.contains { $0[2] == "b" && $0[1] == parents.first { $0[2] == "a" }?[0] })
    }

    @Test(arguments: [(4, nil as Int?), (3, 1)])
    func `of a keyframe with too many nodes the upper levels are told`(
        most: Int, untold: Int?
    ) {
        let nodes = ["/", "/a", "/a/b", "/c"].map { path in
            JSONValue.members(["path": .string(path), "state": "live"])
        }
        var tree = CaptureTree(toldCountMax: most)
        let when = Timestamp(microseconds: 1)
        let keyframe = JSONValue.members([
            "tree": .members(["bus": "b", "nodes": .array(nodes)])
        ])
        let lines = tree.read(keyframe, at: when)
        let rows = lines.compactMap { line -> String? in
            if case .node(_, let row) = line { row } else { nil }
        }
        #expect(rows.count == most)
        #expect(rows.contains { $0.contains(#""b""#) } == (untold == nil))
        #expect(lines.contains(.value("untold", "1")) == (untold != nil))
        // There is no room for another node, and for what happens to one that is not told.
        for (what, path) in [("attached", "/d"), ("lost", "/d")] {
            let event = JSONValue.members([
                "kind": "topology", "what": .string(what), "path": .string(path),
            ])
            #expect(tree.read(event: event, at: when).isEmpty)
        }
        let lost = JSONValue.members(["kind": "topology", "what": "lost", "path": "/c"])
        #expect(tree.read(event: lost, at: when).count == 1)
    }

    @Test func `a capture without keyframes shows its events, and says that it has no tree`() throws
    {
        let recording = try capture([
            event(1, "triggered", "\"kind\":\"event\",\"path\":\"/a\",\"id\":\"1\""),
            event(
                2, "ended",
                "\"kind\":\"event\",\"path\":\"/a\",\"id\":\"1\",\"outcome\":\"handled\""),
        ])
        let moment = try #require(try recording.moment(at: Self.time(9)))
        #expect(!moment.hasTree)
        #expect(moment.state.nodes.isEmpty)
        #expect(moment.ended.count == 1)
        let frame = Frame(moment.content, after: nil, now: Self.time(9))
        let json = try JSONValue(parsing: frame.text)
        #expect(json["noTree"] == true)
        #expect(json["file"] == "capture.jsonl")
    }

    @Test func `lines that are torn or no JSON are skipped`() throws {
        let torn = event(3, "ended", "\"kind\":\"event\",\"id\":\"3\",\"outcome\":\"handled\"")
        let recording = try capture(
            [
                keyframe(0, ["/": "live"]),
                event(
                    1, "ended",
                    "\"kind\":\"event\",\"id\":\"1\",\"outcome\":\"handled\",\"payload\":{"),
                "\u{0}\u{1}", "{}", "[]",
                event(2, "ended", "\"kind\":\"event\",\"id\":\"2\",\"outcome\":\"handled\""),
            ], tail: String(torn.dropLast(9)))
        let moment = try #require(try recording.moment(at: Self.time(9)))
        #expect(moment.ended.count == 1)
        #expect(moment.ended.first?.contains("\"id\":\"2\"") ?? false)
    }

    @Test func `a file that is no capture is refused`() throws {
        try write(["{\"schema\":\"cascade/v1/dump\"}"], tail: "")
        #expect(throws: RecordingError.self) { try CaptureRecording("\(directory)/capture.jsonl") }
        #expect(throws: RecordingError.self) { try CaptureRecording("\(directory)/none.jsonl") }
    }

    @Test func `a text in a payload is not taken for a member`() throws {
        let recording = try capture([
            event(
                1, "ended",
                "\"kind\":\"event\",\"path\":\"/\\\"outcome\\\":\\\"failed\\\"\",\"outcome\":\"handled\""
            )
        ])
        #expect(recording.index.history.rows.map(\.counts.first) == [1])
    }

    // MARK: - Parts

    private static func time(_ tenths: Int) -> Timestamp {
        Timestamp(microseconds: 1_800_000_000_000_000 + Int64(tenths) * 500_000)
    }

    private var files: [String] {
        guard let stream = opendir(directory) else {
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") {
                names.append(name)
            }
        }
        return names.sorted()
    }

    private func status(of file: String) throws -> stat {
        var status = stat()
        try #require(stat("\(directory)/\(file)", &status) == 0)
        return status
    }

    private func size(of file: String) throws -> Int {
        Int(try status(of: file).st_size)
    }

    private func mode(of file: String) throws -> UInt32 {
        try status(of: file).st_mode & 0o777
    }

    private func opened(byteCountMax: Int) throws -> SegmentedRecording {
        try SegmentedRecording(
            directory: directory, byteCountMax: byteCountMax, segmentByteCountMax: 1_000_000)
    }

    private func append(
        _ bus: inout RecordedBus, _ step: Int, _ recorder: inout Recorder,
        _ recording: inout SegmentedRecording
    ) throws {
        let when = Self.time(step)
        let piece = recorder.piece(of: bus.change(at: when), isWhole: step == 0, now: when)
        if try !recording.append(piece) {
            let isAppended = try recording.append(recorder.beginningBlock(piece))
            #expect(isAppended)
        }
    }

    private func write(_ lines: [String], tail: String) throws {
        let file = try WrittenFile("\(directory)/capture.jsonl")
        try file.append(Array((lines.map { $0 + "\n" }.joined() + tail).utf8))
    }

    private func capture(_ lines: [String], tail: String = "") throws -> CaptureRecording {
        let first = "{\"schema\":\"cascade/v1/capture\",\"bus\":\"b\",\"when\":\"\(Self.time(0))\"}"
        try write([first] + lines, tail: tail)
        return try CaptureRecording("\(directory)/capture.jsonl")
    }

    private func event(_ tenths: Int, _ what: String, _ members: String) -> String {
        let kind = members.contains("\"kind\"") ? "" : "\"kind\":\"event\","
        return "{\"schema\":\"cascade/v1/monitor\",\"when\":\"\(Self.time(tenths))\",\(kind)"
            + "\"what\":\"\(what)\",\(members)}"
    }

    private func keyframe(_ tenths: Int, _ states: KeyValuePairs<String, String>) -> String {
        let nodes = states.map { path, state in
            "{\"path\":\"\(path)\",\"state\":\"\(state)\",\"active\":true,\"responders\":[],\"subscriptions\":[]}"
        }
        return "{\"schema\":\"cascade/v1/keyframe\",\"when\":\"\(Self.time(tenths))\","
            + "\"tree\":{\"schema\":\"cascade/v1/tree\",\"bus\":\"b\",\"nodes\":[\(nodes.joined(separator: ","))]},"
            + "\"environment\":[],\"undelivered\":{\"undelivered\":[]}}"
    }

    /// The states of the nodes at a moment by their names.
    private func states(_ recording: CaptureRecording, at tenths: Int) throws -> [String: String] {
        let moment = try #require(try recording.moment(at: Self.time(tenths)))
        let rows = try moment.state.nodes.values.map { try JSONValue(parsing: $0).elements }
        return Dictionary(rows.map { ($0[2].string ?? "", $0[3].string ?? "") }) { $1 }
    }
}
