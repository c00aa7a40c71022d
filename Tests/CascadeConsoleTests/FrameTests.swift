// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct FrameTests {
    private var view = BusView(epoch: 7, now: Timestamp(microseconds: 0))

    @Test mutating func `the first frame is whole, and the next has only what changed`() throws {
        receive(["/", "/shop", "/shop/laser"])
        let first = try frame(after: 0, epoch: nil)
        #expect(first["after"] == nil)
        #expect(names(first) == ["/", "shop", "laser"])
        let version: UInt64 = try #require(first["frame"]?.integer())
        #expect(try frame(after: version)["nodes"] == nil)
        receive(["/", "/shop", "/shop/laser", "/shop/photo"])
        let next = try frame(after: version)
        #expect(next["after"]?.integer() == version)
        #expect(names(next) == ["photo"])
    }

    @Test mutating func `a node that left is told once, and its number is not given again`() throws
    {
        receive(["/", "/a", "/b"])
        let version = view.version
        receive(["/", "/b"])
        #expect(try frame(after: version)["gone"] == .array([.number("2")]))
        receive(["/", "/a", "/b"])
        let row = try #require(try frame(after: version)["nodes"]?.elements.first)
        #expect(row.elements.first == .number("4"))
    }

    @Test mutating func `another daemon makes the next frame whole`() throws {
        view.welcomed(welcome(processID: 1), now: Timestamp(microseconds: 1))
        receive(["/", "/a"])
        let before = try frame(after: 0, epoch: nil)
        let version: UInt64 = try #require(before["frame"]?.integer())
        view.lost("killed", now: Timestamp(microseconds: 2))
        #expect(try frame(after: version)["state"] == "away")
        view.welcomed(welcome(processID: 2), now: Timestamp(microseconds: 3))
        receive(["/", "/a"])
        let after = try frame(after: version, epoch: before["epoch"]?.string)
        #expect(after["after"] == nil)
        #expect(names(after) == ["/", "a"])
    }

    @Test mutating func `ten thousand nodes come in frames of at most 256 KiB, each node once`()
        throws
    {
        receive(["/"] + (0..<10_000).map { "/node-with-a-rather-long-name-\($0)" })
        var after: UInt64 = 0
        var seen: [String] = []
        var hasMore = true
        while hasMore {
            let request = try FrameRequest(
                .members([
                    "page": "p", "after": .integer(after), "epoch": after == 0 ? nil : "7",
                ]))
            let made = Frame(view, for: request, now: Timestamp(microseconds: 0))
            #expect(made.text.utf8.count <= Frame.byteCountMax)
            let json = try JSONValue(parsing: made.text)
            seen += names(json)
            after = try #require(json["frame"]?.integer())
            hasMore = made.hasMore
        }
        #expect(seen.count == 10_001)
        #expect(Set(seen).count == 10_001)
    }

    @Test func `what fits to the byte is in one frame, and one byte more in the next`() {
        let room = Frame.byteCountMax - Frame.reserve
        for (surplus, frameCount) in [(0, 1), (1, 2)] {
            // Each part has a comma.
            let sizes = [room / 2, room - room / 2 - 2 + surplus]
            var content = FrameContent(epoch: "7", version: 2)
            content.parts = sizes.enumerated().map { index, size in
                .init(
                    kind: .ended, version: UInt64(index + 1),
                    text: String(repeating: "1", count: size))
            }
            let first = Frame(content, after: nil, now: Timestamp(microseconds: 0))
            #expect(first.hasMore == (frameCount > 1))
            #expect(first.text.utf8.count <= Frame.byteCountMax)
        }
    }

    @Test func `a part that fits in no frame is left out, and those behind it are told`() throws {
        let room = Frame.byteCountMax - Frame.reserve
        for (size, isTold) in [(room - 1, true), (room, false)] {
            var content = FrameContent(epoch: "7", version: 2)
            content.parts = [
                .init(kind: .ended, version: 1, text: String(repeating: "1", count: size)),
                .init(kind: .gone, version: 2, text: "5"),
            ]
            let first = Frame(content, after: nil, now: Timestamp(microseconds: 0))
            #expect(first.hasMore == isTold)
            let last = Frame(content, after: isTold ? 1 : nil, now: Timestamp(microseconds: 0))
            #expect(try JSONValue(parsing: last.text)["gone"] == .array([.number("5")]))
        }
    }

    @Test mutating func `a frame with everything that is not cut has no more than its size`() throws
    {
        let text = String(repeating: "x", count: 124)
        let list = JSONValue.array(Array(repeating: .string(text), count: 1_000))
        view.received(undelivered: .members(["undelivered": list]), now: Timestamp(microseconds: 0))
        view.received(findings: .members(["findings": list]), now: Timestamp(microseconds: 0))
        let paths = ["/"] + (1..<1_000).map { "/\(text)-\($0)" }
        receive(paths, at: 1_000_000)
        receive(paths, visits: 123_456, at: 1_999_999)
        let whole = try FrameRequest(.members(["page": "p"]))
        let made = Frame(view, for: whole, now: Timestamp(microseconds: 0))
        #expect(made.hasMore)
        #expect(made.text.utf8.count <= Frame.byteCountMax)
        #expect(made.text.utf8.count > Frame.byteCountMax - Frame.reserve)
    }

    @Test mutating func `the numbers of each node of a large tree are told, after the node`() throws
    {
        let paths = ["/"] + (0..<10_000).map { "/node-with-a-rather-long-name-\($0)" }
        receive(paths, at: 1_000_000)
        receive(paths, visits: 7, at: 2_000_000)
        // A node that changes is told again.
        receive([paths[0]] + paths.dropFirst(2), visits: 7, at: 3_000_000)
        receive(paths, visits: 7, at: 4_000_000)
        var known: Set<JSONValue> = []
        var active: Set<JSONValue> = []
        var after: UInt64 = 0
        repeat {
            let json = try frame(after: after)
            known.formUnion(json["nodes"]?.elements.map { $0.elements[0] } ?? [])
            for row in json["activity"]?.elements ?? [] {
                #expect(known.contains(row.elements[0]))
                active.insert(row.elements[0])
            }
            after = try #require(json["frame"]?.integer())
        } while after < view.version
        #expect(known.count == 10_001)
        #expect(active.count >= 10_000)
    }

    @Test mutating func `of undelivered messages the newest are told, with short payloads`() throws
    {
        func message(_ number: Int, payload: JSONValue) -> JSONValue {
            .members(["id": .string("\(1_000 + number)"), "payload": payload])
        }
        func told(_ messages: [JSONValue]) throws -> [JSONValue] {
            view.received(
                undelivered: .members(["undelivered": .array(messages)]),
                now: Timestamp(microseconds: 0))
            return try frame(after: 0)["undelivered"]?.elements ?? []
        }
        // The quotes count.
        let short = JSONValue.string(String(repeating: "x", count: 1_022))
        let long = JSONValue.string(String(repeating: "x", count: 1_023))
        let two = try told([message(1, payload: short), message(2, payload: long)])
        #expect(two.map { $0["payload"] } == [short, nil])
        #expect(two.map { $0["leftOutBytes"] } == [nil, .number("1025")])
        // Each has 1,052 bytes, and a comma.
        let bytes = message(1, payload: short).text.utf8.count + 1
        let roomFor = 24_576 / bytes
        for (count, first) in [(roomFor, 1_001), (roomFor + 1, 1_002)] {
            let list = try told((1...count).map { message($0, payload: short) })
            #expect(list.count == roomFor)
            #expect(list.first?["id"] == .string("\(first)"))
            #expect(list.last?["id"] == .string("\(1_000 + count)"))
        }
    }

    @Test mutating func `a rate is that of the time between two answers`() throws {
        receive(["/", "/a"], visits: 10, at: 1_000_000)
        receive(["/", "/a"], visits: 40, at: 3_000_000)
        let activity = try frame(after: 0, epoch: nil)["activity"]
        #expect(activity?.elements.last?.elements.dropFirst().first == .number("15"))
    }

    // MARK: - Parts

    private mutating func receive(_ paths: [String], visits: UInt64 = 0, at now: Int64 = 0) {
        let snapshots = paths.map { path in
            var snapshot = NodeSnapshot(
                path: NodePath(stringLiteral: path), state: .live, isActive: true,
                ageMicroseconds: 0, childCount: 0)
            snapshot.counters = [NamedNumber("visits", visits)]
            return snapshot
        }
        view.received(
            tree: TreeAnswer(request: 1, nodes: snapshots), now: Timestamp(microseconds: now)
        ) { _ in nil }
    }

    private func welcome(processID: UInt32) -> Welcome {
        Welcome(
            version: 1, bus: "bus", release: "test", processID: processID, credit: 1,
            beatMilliseconds: 1, limits: [])
    }

    private func frame(after: UInt64, epoch: String? = "7") throws -> JSONValue {
        let request = try FrameRequest(
            .members([
                "page": "p", "after": .integer(after), "epoch": epoch.map { .string($0) },
            ]))
        return try JSONValue(
            parsing: Frame(view, for: request, now: Timestamp(microseconds: 0)).text)
    }

    private func names(_ frame: JSONValue) -> [String] {
        (frame["nodes"]?.elements ?? []).compactMap { $0.elements.dropFirst(2).first?.string }
    }
}
