// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeWire
import Testing
import cascadectl

@Suite struct JoinedTreeTests {
    @Test func `Each site's nodes stand below its mount, with their names here`() async {
        let tree = JoinedTree(await SiteFixture.realm())
        #expect(
            tree.lines.map { "\($0.depth) \($0.path)" } == [
                "0 /root:", "1 /hq:", "2 /hq:/shop", "3 /hq:/shop/berlin",
                "4 /hq:/shop/berlin/line",
                "5 /hq:/shop/berlin/line/cell", "6 /hq:/shop/berlin/line/cell", "3 /", "4 /cell",
                "5 /cell/robot", "4 /kitchen", "2 /hq:/floor", "1 /root:/board",
            ])
        #expect(
            tree.lines.compactMap(\.site) == [
                "root", "hq", "berlin", "cell", "cell", "ulm", "cell",
            ])
        #expect(tree.lines.map(\.parent)[9] == "/cell")
        #expect(tree.lines.map(\.parent)[7] == "/hq:/shop")
    }

    @Test func `A site that does not answer is a line that says so`() async throws {
        let now = try #require(Timestamp("2030-01-01T12:00:00.000000Z"))
        let tree = JoinedTree(await SiteFixture.realm())
        let text = JoinedTreeDocument(bus: "ulm", tree: tree, now: now).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.contains("✗ cell") && $0.contains("did not answer within 5s") })
        #expect(lines[1].hasPrefix("● /root:"))
        #expect(lines.contains { $0.hasPrefix("      ● /ulm") && $0.contains("ulm") })
    }

    @Test func `A part of the tree is what is at and below a place`() async {
        let tree = JoinedTree(await SiteFixture.realm())
        let part = tree.limited(to: "/hq:/shop/berlin", depth: .max)
        #expect(part.lines.map(\.depth) == [3, 4, 5, 6])
        #expect(
            tree.limited(to: "/root:", depth: 1).lines.map(\.path) == ["/root:", "/root:/board"])
        #expect(
            tree.limited(to: "/", depth: 1).lines.map(\.path) == ["/root:", "/hq:", "/root:/board"])
        #expect(tree.limited(to: "/nowhere", depth: .max).lines.isEmpty)
    }

    @Test func `Sites above that cannot be asked are named first`() async {
        let realm = await SiteFixture.realm(changing: [
            "/root:": SiteReport(failure: "the policy denies it")
        ])
        let tree = JoinedTree(realm)
        #expect(tree.lines.prefix(2).map(\.path) == ["/root:", "/hq:"])
        guard case .unanswered(let reason) = tree.lines[0].content else {
            Issue.record("the first line is a node")
            return
        }
        #expect(reason == "the policy denies it")
        #expect(tree.lines[1].depth == 0)
    }

    @Test func `A site that is cut for longer than its place is kept is a line of its own`()
        async throws
    {
        var report = try #require(SiteFixture.reports["/hq:"])
        report.sites?.sites.append(SiteFixture.below("trier", of: "hq", at: "/shop/trier", .cut))
        let tree = JoinedTree(await SiteFixture.realm(changing: ["/hq:": report]))
        let line = try #require(tree.lines.first { $0.site == "trier" })
        #expect(line.path == "/hq:/shop/trier" && line.parent == "/hq:" && line.depth == 2)
        #expect(!tree.lines.contains { $0.path == "/hq:/shop/bonn" })
        let now = try #require(Timestamp("2030-01-01T12:00:00.000000Z"))
        let text = JoinedTreeDocument(bus: "ulm", tree: tree, now: now).text
        #expect(text.contains("    ✗ /hq:/shop/trier"))
        #expect(text.contains("the site 'trier' is cut"))
    }
}
