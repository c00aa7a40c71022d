// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing
import cascadectl

@Suite struct BusSummaryTests {
    private static func summary(
        _ counters: [String: UInt64], limits: [String: UInt64] = [:], uses: [String: UInt64] = [:]
    ) -> BusSummary {
        let named = { (numbers: [String: UInt64]) in
            numbers.sorted { $0.key < $1.key }.map { NamedNumber($0.key, $0.value) }
        }
        return BusSummary(
            BusAnswer(
                request: 1, bus: "test", release: "cascaded", processID: 1, ageMicroseconds: 0,
                counters: named(counters), limits: named(limits), uses: named(uses)))
    }

    @Test func `A bus without faults has none`() {
        let summary = Self.summary(
            ["nodes.live": 2, "nodes.vacant": 1, "triggered": 7, "handled": 7, "published": 0])
        #expect(summary.nodes == "3: 2 live, 1 vacant")
        #expect(summary.messages == "7 triggered (7 handled), 0 published")
        #expect(summary.faults.isEmpty && summary.pastFaults.isEmpty)
        #expect(Self.summary([:]).nodes == "none")
    }

    @Test func `Unresponsive nodes and nearly exhausted limits are faults, with units`() {
        let summary = Self.summary(
            ["nodes.unresponsive": 1], limits: ["held": 10, "heldBytes": 2048, "traces": 4],
            uses: ["held": 7, "heldBytes": 2048, "traces": 4])
        #expect(
            summary.faults == [
                "1 unresponsive: see 'list --state unresponsive'",
                "limit heldBytes 2.0 KiB of 2.0 KiB, 100 %",
            ])
    }

    @Test func `Messages that failed and nodes that were lost are past faults`() {
        let summary = Self.summary(["unhandled": 2, "nodesLost": 1, "handled": 5])
        #expect(
            summary.pastFaults == [
                "2 unhandled: see 'undelivered'",
                "1 lost (nodes whose process exited without leaving)",
            ])
    }
}
