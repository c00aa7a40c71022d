// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeJSON
import CascadeWire
import Testing

@testable import CascadeConsole

/// What pages are told of a tree whose changes the bus tells.
@Suite struct FollowedTreeTests {
    private var view = BusView(epoch: 7, now: Timestamp(microseconds: 0))

    @Test mutating func `a change is told as the row of one node`() throws {
        receive([0: "/", 1: "/a", 2: "/a/b"])
        let version = view.version
        receive([2: "/a/b"], state: .vacant, isChange: true)
        #expect(try rows(after: version) == [[.number("3"), .number("2"), "b", "vacant"]])
        let after = view.version
        receive([2: "/a/b"], state: .vacant, isChange: true)
        #expect(view.version == after)
    }

    @Test mutating func `a node that moved keeps its number and has another parent`() throws {
        receive([0: "/", 1: "/a", 2: "/b", 3: "/a/x", 4: "/a/x/y"])
        let version = view.version
        receive([3: "/b/x", 4: "/b/x/y"], isChange: true)
        // The parent of the node below has not changed.
        #expect(try rows(after: version) == [[.number("3"), .number("5"), "x", "live"]])
        let moved = view.version
        receive([5: "/a/x"], isChange: true)
        #expect(try rows(after: moved) == [[.number("6"), .number("2"), "x", "live"]])
    }

    @Test mutating func `a place that went is gone, and its number on the bus may be another's`()
        throws
    {
        receive([0: "/", 1: "/a"])
        let version = view.version
        receive([1: "/b"], gone: [1], isChange: true)
        let frame = try frame(after: version)
        #expect(frame["gone"] == .array([.number("2")]))
        #expect(try rows(after: version) == [[.number("3"), .number("1"), "b", "live"]])
    }

    @Test mutating func `a whole tree takes the place of all that was known`() throws {
        receive([0: "/", 1: "/a", 2: "/b"])
        let version = view.version
        receive([0: "/", 2: "/b", 3: "/c"])
        #expect(try frame(after: version)["gone"] == .array([.number("2")]))
        #expect(try rows(after: version).map { $0[2] } == ["c"])
    }

    @Test mutating func `a rate follows from two readings, and is 0 without a row`() throws {
        receive([0: "/", 1: "/a"])
        read([1: 100], at: 1_000_000)
        #expect(try rate() == .number("0"))
        read([1: 130], at: 3_000_000)
        #expect(try rate() == .number("15"))
        read([:], at: 4_000_000)
        #expect(try rate() == .number("0"))
        // It had the counters of the last row until the answer before.
        read([1: 140], at: 5_000_000)
        #expect(try rate() == .number("10"))
    }

    @Test mutating func `counters from long ago say nothing of the rate`() throws {
        receive([0: "/", 1: "/a"])
        read([1: 100], at: 1_000_000)
        read([1: 10_000], at: 61_000_000)
        #expect(try rate() == .number("0"))
    }

    @Test mutating func `a change among ten thousand nodes is one part of a frame`() throws {
        let paths = Dictionary(
            uniqueKeysWithValues: (0..<10_000).map { (UInt32($0 + 1), "/n\($0)") })
        receive(paths.merging([0: "/"]) { $1 })
        let version = view.version
        receive([20_000: "/new"], isChange: true)
        #expect(Array(view.nodes.changed(after: version)).map(\.name) == ["new"])
        #expect(view.version == version + 1)
    }

    // MARK: - Trees that are too large

    @Test func `a hundred thousand nodes are told`() {
        #expect(FollowedTree.toldCountMax == 100_000)
        #expect(view.toldCountMax == FollowedTree.toldCountMax)
    }

    @Test
    mutating func `as many nodes as are told are told whole, and of one more the upper levels`()
        throws
    {
        view = BusView(epoch: 7, now: Timestamp(microseconds: 0), toldCountMax: 5)
        let paths: [UInt32: String] = [0: "/", 1: "/a", 2: "/a/b", 3: "/a/b/c", 4: "/d"]
        receive(paths)
        #expect(try names(after: 0) == ["/", "a", "b", "c", "d"])
        #expect(try frame(after: 0)["untold"] == nil)
        let version = view.version
        receive([5: "/d/e"], isChange: true)
        #expect(try names(after: version) == [])
        #expect(try frame(after: version)["untold"] == .number("1"))
        // A page that knows nothing is told as many, and a tree that is told at once level by level.
        view = BusView(epoch: 7, now: Timestamp(microseconds: 0), toldCountMax: 5)
        receive(paths.merging([5: "/d/e"]) { $1 })
        #expect(try names(after: 0) == ["/", "a", "d", "b", "e"])
        #expect(try frame(after: 0)["untold"] == .number("1"))
    }

    @Test mutating func `a node is told when there is room for it, and below no untold one`() throws
    {
        view = BusView(epoch: 7, now: Timestamp(microseconds: 0), toldCountMax: 3)
        receive([0: "/", 1: "/a", 2: "/b", 3: "/b/c", 4: "/b/c/d"])
        #expect(try names(after: 0) == ["/", "a", "b"])
        var version = view.version
        // What is not told changes and goes unseen.
        receive([3: "/b/c"], state: .vacant, isChange: true)
        receive([5: "/b/x"], isChange: true)
        receive([:], gone: [5], isChange: true)
        #expect(try names(after: version) == [])
        #expect(try frame(after: version)["gone"] == nil)
        receive([:], gone: [1], isChange: true)
        #expect(try rows(after: version) == [[.number("4"), .number("3"), "c", "vacant"]])
        #expect(try frame(after: version)["gone"] == .array([.number("2")]))
        #expect(try frame(after: version)["untold"] == .number("1"))
        // It moves below a node that is not told, and leaves its room to that one.
        version = view.version
        receive([6: "/e"], isChange: true)
        receive([2: "/e/b", 3: "/e/b/c", 4: "/e/b/c/d"], isChange: true)
        #expect(
            Set(view.nodes.all.filter(\.isTold).map(\.path.description)) == ["/", "/e", "/e/b"])
        #expect(view.nodes.toldCount == 3)
        receive([:], gone: [2, 3, 4, 6], isChange: true)
        #expect(view.nodes.toldCount == 1)
        #expect(try frame(after: 0)["untold"] == nil)
    }

    @Test mutating func `of a tree of which the bus tells the upper levels the others are counted`()
        throws
    {
        receive([0: "/", 1: "/a"], depth: 1)
        #expect(try frame(after: 0)["untold"] == .number("0"))
        view.received(try Self.status(nodes: 2_000_000), now: Timestamp(microseconds: 1))
        #expect(try frame(after: 0)["untold"] == .number("1999998"))
        receive([2: "/b"], isChange: true, depth: 1)
        #expect(try frame(after: 0)["untold"] == .number("1999997"))
        receive([0: "/", 1: "/a"])
        #expect(try frame(after: 0)["untold"] == nil)
    }

    @Test mutating func `a node of which children are untold says how many`() throws {
        view = BusView(epoch: 7, now: Timestamp(microseconds: 0), toldCountMax: 3)
        receive([0: "/", 1: "/a", 2: "/b", 3: "/b/c", 4: "/b/d", 5: "/b/d/e"])
        #expect(try untoldBelow(after: 0) == [[3, 2]])
        var version = view.version
        receive([6: "/a/x"], isChange: true)
        #expect(try untoldBelow(after: version) == [[2, 1]])
        version = view.version
        receive([3: "/a/c"], isChange: true)
        #expect(try untoldBelow(after: version) == [[2, 2], [3, 1]])
        // It goes, and leaves its room to another, whose own children are untold.
        version = view.version
        receive([7: "/f"], gone: [1, 3, 6], isChange: true)
        #expect(view.nodes.toldCount == 3)
        #expect(try untoldBelow(after: version) == [])
        version = view.version
        receive([:], gone: [7], isChange: true)
        #expect(try untoldBelow(after: version) == [[3, 0], [5, 1]])
        version = view.version
        receive([0: "/", 2: "/b", 5: "/b/e"])
        #expect(try untoldBelow(after: version) == [[3, 0]])
    }

    @Test mutating func `of the last level that was told the numbers of children are known`()
        throws
    {
        receive([0: "/", 1: "/a", 2: "/b"], depth: 1, children: [0: 2, 2: 9])
        #expect(try untoldBelow(after: 0) == [[3, 9]])
        let version = view.version
        receive([2: "/b"], isChange: true, depth: 1, children: [2: 10])
        #expect(try untoldBelow(after: version) == [[3, 10]])
        #expect(try rows(after: version) == [])
        receive([0: "/", 1: "/a", 2: "/b", 3: "/b/c"], children: [0: 2, 2: 1])
        #expect(try untoldBelow(after: version) == [[3, 0]])
    }

    @Test mutating func `each number of untold children has a version of its own`() {
        receive([0: "/", 1: "/a", 2: "/b"], depth: 1, children: [0: 2, 1: 3, 2: 9])
        let version = view.version
        receive([0: "/", 1: "/a", 2: "/b"])
        let changed = view.tree.untold.changed(after: version)
        #expect(changed.map(\.count) == [0, 0])
        #expect(Set(changed.map(\.version)).count == 2)
    }

    @Test mutating func `of a node that leaves the last level no number of children is told`()
        throws
    {
        receive([0: "/", 1: "/a", 2: "/a/b"], depth: 2, children: [0: 1, 1: 1, 2: 9])
        let version = view.version
        receive([2: "/c"], isChange: true, depth: 2, children: [2: 9])
        #expect(try untoldBelow(after: version) == [[3, 0]])
    }

    // MARK: - Parts

    /// The pairs of a node's number and that of its children that are left out, in the order of the nodes.
    private func untoldBelow(after version: UInt64) throws -> [[Int]] {
        (try frame(after: version)["untoldBelow"]?.elements ?? []).map { row in
            row.elements.compactMap { $0.integer(Int.self) }
        }.sorted { $0[0] < $1[0] }
    }

    private static func status(nodes: Int) throws -> BusStatusDocument {
        try BusStatusDocument(
            jsonText: #"{"schema":"cascade/v1/status","bus":"b","release":"r","version":1,"pid":1,"#
                + #""since":"2026-01-01T00:00:00.000000Z","counters":{},"limits":{},"#
                + #""uses":{"nodes":\#(nodes)}}"#)
    }

    private func names(after version: UInt64) throws -> [JSONValue] {
        try rows(after: version).map { $0[2] }
    }

    private mutating func receive(
        _ paths: [UInt32: String], gone: [UInt32] = [], state: NodeState = .live,
        isChange: Bool = false, depth: Int? = nil, children: [UInt32: UInt32] = [:]
    ) {
        let nodes = paths.sorted { $0.value < $1.value }.map { number, path in
            var snapshot = NodeSnapshot(
                path: NodePath(stringLiteral: path), state: state, isActive: true,
                ageMicroseconds: 0, childCount: children[number] ?? 0)
            snapshot.number = number
            return snapshot
        }
        var answer = TreeAnswer(request: 1, nodes: nodes)
        answer.version = 1
        answer.hasOnlyChanges = isChange
        answer.gone = gone
        view.received(tree: answer, depth: depth, now: Timestamp(microseconds: 0)) { _ in nil }
    }

    private mutating func read(_ visits: [UInt32: UInt64], at moment: Int64) {
        let rows = visits.map { number, visits in
            ActivityAnswer.Row(
                number: number, counters: NodeCounters([NamedNumber("visits", visits)]))
        }
        view.received(
            activity: ActivityAnswer(
                request: 1, when: Timestamp(microseconds: moment), rows: rows),
            now: Timestamp(microseconds: moment))
    }

    /// The last rate that is told. Nothing is told of nodes that never had one.
    private func rate() throws -> JSONValue {
        try frame(after: 0)["activity"]?.elements.last?.elements.dropFirst().first ?? .number("0")
    }

    /// The first four members of the rows of nodes.
    private func rows(after version: UInt64) throws -> [[JSONValue]] {
        (try frame(after: version)["nodes"]?.elements ?? []).map { Array($0.elements.prefix(4)) }
    }

    private func frame(after version: UInt64) throws -> JSONValue {
        let request = try FrameRequest(
            .members(["page": "p", "after": .integer(version), "epoch": "7"]))
        return try JSONValue(
            parsing: Frame(view, for: request, now: Timestamp(microseconds: 0)).text)
    }
}
