// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeJSON
import CascadeWire
import Testing

@Suite struct ChangeTests {
    private let before = EnvironmentDocument(values: [
        EnvironmentEntry(key: "b", value: "old", from: "/"),
        EnvironmentEntry(key: "c", value: .number("1"), from: "/"),
        EnvironmentEntry(key: "a", value: .null, from: "/"),
    ])
    private let after = EnvironmentDocument(values: [
        EnvironmentEntry(key: "b", value: "new", from: "/x"),
        EnvironmentEntry(key: "c", value: .number("1"), from: "/x"),
        EnvironmentEntry(key: "d", value: true, from: "/x"),
    ])

    @Test func `changes of an environment begin with the removed values`() {
        #expect(
            after.changes(since: before).map(\.jsonText) == [
                #"{"schema":"cascade/v1/envChange","key":"a","old":null}"#,
                #"{"schema":"cascade/v1/envChange","key":"b","value":"new","old":"old","from":"/x"}"#,
                #"{"schema":"cascade/v1/envChange","key":"d","value":true,"from":"/x"}"#,
            ])
    }

    @Test func `changes of one key leave out the others`() {
        #expect(after.changes(since: before, of: "d").map(\.key) == ["d"])
        #expect(after.changes(since: before, of: "c").isEmpty)
    }

    // MARK: - Rates

    private func node(_ path: NodePath, session: UInt64, visits: UInt64) -> TrafficSample.Node {
        let holder = NodeSnapshot.Holder(
            session: SessionID(high: 0, low: session), processID: 7, userID: 0, groupID: 0,
            unit: "", program: "p")
        let node = NodeSnapshot(
            path: path, state: .live, isActive: true, ageMicroseconds: 10_000_000, childCount: 0,
            holder: holder,
            counters: [
                NamedNumber("visits", visits), NamedNumber("queue", 2),
                NamedNumber("measured", visits), NamedNumber("latency", visits * 30),
            ])
        return TrafficSample.Node(
            InspectedNode(node, now: Timestamp(microseconds: 0), user: nil),
            ageMicroseconds: node.ageMicroseconds)
    }

    @Test func `rates are averages since the node attached, then since the previous document`() {
        let first = TrafficSample(
            [node("/a", session: 1, visits: 20), node("/b", session: 2, visits: 40)],
            at: Timestamp(microseconds: 0))
        let begin = TopDocument(bus: "bus", first, since: nil)
        #expect(begin.nodes.map(\.path) == ["/b", "/a"])
        #expect(begin.nodes.map(\.visitsPerSecond) == [4, 2])
        #expect(begin.nodes.map(\.meanMicroseconds) == [30, 30])

        let second = TrafficSample(
            [node("/a", session: 1, visits: 31), node("/b", session: 3, visits: 5)],
            at: Timestamp(microseconds: 2_000_000))
        let next = TopDocument(bus: "bus", second, since: first)
        #expect(next.nodes.map(\.path) == ["/a", "/b"])
        // The second session at /b began to count at 0.
        #expect(next.nodes.map(\.visitsPerSecond) == [5.5, 0.5])
        #expect(next.jsonText.contains(#""visitsPerSecond":5.5,"queue":2"#))
    }
}
