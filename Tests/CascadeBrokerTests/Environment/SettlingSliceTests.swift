// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

/// The changes of one input are sent in slices, and none is lost.
@Suite struct SettlingSliceTests {
    private var bus = ScenarioBus()
    private let watcherCount = 800
    private let keyCount = 40

    init() throws {
        try run("bus settle=1s declarationsPerSession=100000")
        try run("connect setter 1 uid=7")
        try run("attach setter /all")
        try run("connect watcher 2 uid=7")
    }

    @Test
    mutating func `a change for many watchers is sent in slices that do not delay other nodes`()
        throws
    {
        try attachWatchers()
        _ = bus.run("advance 1s")
        var before = bus.sent.count
        try run("set setter /all " + values("1"))
        let first = changes(from: before)
        #expect(!first.isEmpty && first.count < watcherCount)
        #expect(first.dropLast().allSatisfy { $0.changes.count == keyCount })
        #expect(bus.box?.broker.environment.isUnsettled == true)
        // Another change is sent to its node before the remaining slices.
        try run("connect other 3 uid=8")
        try run("attach other /other + /other/n watch:x")
        let count = bus.sent.count
        try run("set other /other x=1")
        #expect(changes(from: count).contains { $0.changes.map(\.new) == ["1"] })
        // A waiting node receives the values at the time of its slice, once.
        try run("set setter /all k0=2")
        _ = bus.run("advance 1s")
        #expect(bus.box?.broker.environment.isUnsettled == false)
        var told: [UInt32: [String: String]] = [:]
        var areJoined = true
        for changes in changes(from: before) where changes.changes.first?.key.description != "x" {
            for change in changes.changes {
                let old = told[changes.node]?[change.key.description]
                areJoined = areJoined && old == change.old
                told[changes.node, default: [:]][change.key.description] = change.new
            }
        }
        #expect(areJoined)
        #expect(told.count == watcherCount)
        #expect(told.values.allSatisfy { $0["k0"] == "2" && $0["k1"] == "1" && $0.count == 40 })
        before = bus.sent.count
        _ = bus.run("advance 1s")
        #expect(changes(from: before).isEmpty)
    }

    @Test
    mutating func `the snapshots of an attach are sent in slices, each before its node's changes`()
        throws
    {
        try run("set setter /all " + values("\"" + String(repeating: "v", count: 1_000) + "\""))
        let before = bus.sent.count
        try attachWatchers()
        let atOnce = changes(from: before)
        #expect(atOnce.count < watcherCount)
        try run("set setter /all k0=1")
        for _ in 0..<watcherCount where bus.box?.broker.environment.isUnsettled == true {
            let count = bus.sent.count
            _ = bus.run("advance 100ms")
            let bytes = bus.sent[count...].reduce(0) { $0 + $1.bytes.count }
            #expect(bytes > 0)
        }
        #expect(bus.box?.broker.environment.isUnsettled == false)
        var snapshots: Set<UInt32> = []
        var told: [UInt32: Int] = [:]
        for changes in changes(from: before) {
            #expect(changes.isSnapshot == snapshots.insert(changes.node).inserted)
            told[changes.node, default: 0] += changes.changes.count { $0.old == nil }
        }
        #expect(snapshots.count == watcherCount)
        #expect(told.values.allSatisfy { $0 == keyCount })
    }

    private mutating func attachWatchers() throws {
        let watches = (0..<keyCount).map { "watch:k\($0)" }.joined(separator: " ")
        let nodes = (0..<watcherCount).map { "/all/n\($0) \(watches)" }
        try run("attach watcher " + nodes.joined(separator: " + "))
    }

    private func values(_ value: String) -> String {
        (0..<keyCount).map { "k\($0)=\(value)" }.joined(separator: " ")
    }

    private func changes(from first: Int) -> [EnvironmentChanges] {
        bus.sent[first...].compactMap { try? EnvironmentChanges(parsing: $0.bytes) }
    }

    private mutating func run(_ line: String) throws {
        let output = bus.run(line)
        try #require(
            !output.contains { $0.contains("UNUSABLE") || $0.contains("refused") },
            "\(line.prefix(80)): \(output.prefix(3))")
    }
}
