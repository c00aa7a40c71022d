// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct AskedTreeTests {
    private func node(_ path: NodePath, _ state: NodeState = .live) -> NodeSnapshot {
        NodeSnapshot(
            path: path, state: state, isActive: true, ageMicroseconds: 3_000_000, childCount: 0)
    }

    private func tree(_ nodes: [NodeSnapshot]) -> JSONValue {
        AskedTree(
            TreeAnswer(request: 1, nodes: nodes), at: "/shop/ulm",
            now: Timestamp(microseconds: 10_000_000)
        ).json
    }

    @Test func `rows have numbers of their own, and ages by the clock of this machine`() {
        var mount = node("/line/cell", .vacant)
        mount.isMount = true
        let json = tree([node("/"), node("/line"), mount])
        let rows = json["nodes"]?.elements.map(\.elements) ?? []
        #expect(json["place"] == "/shop/ulm")
        #expect(json["when"] == .integer(10_000))
        #expect(json["more"] == nil)
        #expect(
            rows.map { Array($0.prefix(4)) } == [
                [.integer(1), .integer(0), "/", "live"],
                [.integer(2), .integer(1), "line", "live"],
                [.integer(3), .integer(2), "cell", "vacant"],
            ])
        #expect(rows.map { $0[9] } == Array(repeating: .integer(7_000), count: 3))
        // The site that stands there.
        #expect(rows[2].last == "cell")
    }

    @Test(arguments: [(4_095, nil), (4_096, 1)])
    func `4096 nodes of a site are told, and the rest is counted`(_ below: Int, _ more: Int?) {
        let nodes = [node("/")] + (0..<below).map { node(NodePath(stringLiteral: "/n\($0)")) }
        let json = tree(nodes)
        #expect(json["nodes"]?.elements.count == 4_096)
        #expect(json["more"]?.integer(Int.self) == more)
    }

    // MARK: - Sharing

    @Test func `pages that show a site share one question`() async throws {
        let trees = AskedTrees()
        let counter = Counter()
        let ask: @Sendable () async throws -> AskedTree = {
            await counter.count()
            return AskedTree(
                TreeAnswer(request: 1, nodes: []), at: "/a", now: Timestamp(microseconds: 0))
        }
        async let first = trees.text(for: "/a", asking: ask)
        async let second = trees.text(for: "/a", asking: ask)
        let texts = try await [first, second]
        #expect(texts[0] == texts[1])
        #expect(await counter.value == 1)
    }

    @Test func `a ninth site is asked when another has answered`() async throws {
        let trees = AskedTrees()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let answer = AskedTree(
            TreeAnswer(request: 1, nodes: []), at: "/a", now: Timestamp(microseconds: 0))
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<AskedTrees.askedMax {
                group.addTask {
                    _ = try? await trees.text(for: "/s\(number)") {
                        begin.yield()
                        await gate.wait()
                        return answer
                    }
                }
            }
            var started = begun.makeAsyncIterator()
            for _ in 0..<AskedTrees.askedMax {
                await started.next()
            }
            let refusal = await #expect(throws: Refusal.self) {
                try await trees.text(for: "/ninth") { answer }
            }
            #expect(refusal?.status == 429)
            await gate.open()
        }
        #expect(try await trees.text(for: "/ninth") { answer } == answer.json.text)
    }
}

/// Counts calls.
private actor Counter {
    private(set) var value = 0

    func count() {
        value += 1
    }
}

/// Lets nobody pass until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !isOpen else {
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiting {
            waiter.resume()
        }
        waiting = []
    }
}
