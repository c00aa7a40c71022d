// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import FoundationEssentials
import Testing

@testable import CascadeBroker

@Suite struct ShareTests {
    @Test(arguments: ShareCase.all)
    func `a table filled by one user has room for another user`(_ shared: ShareCase) {
        var bus = filled(shared)
        let output = shared.after.flatMap { bus.run($0) }
        #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        #expect(output.contains { $0.contains(shared.sign) } != shared.isAbsent, "\(output)")
    }

    @Test(
        arguments: ShareCase.all
    )
    func `the only user of a bus may use all of each table`(_ shared: ShareCase) throws {
        var bus = ScenarioBus()
        _ = bus.run("bus \(shared.limits)")
        fill(&bus, shared, by: "7", 40)
        let table = try #require(SharedTable.allCases.first { $0.name == shared.table })
        let box = try #require(bus.box)
        let limit = Int(table.limit(in: box.broker.configuration.limits))
        // One more entry would exceed the limit.
        let used = box.broker.accounts.used(table)
        #expect(used <= limit)
        #expect(Double(used) > 0.8 * Double(limit), "\(used) of \(limit)")
    }

    @Test func `every shared table has a case and a limit`() {
        let tables = Set(SharedTable.allCases.map(\.name))
        #expect(tables.symmetricDifference(ShareCase.all.map(\.table)) == [])
        let limits = Set(Limits().named.map(\.name))
        #expect(tables.subtracting(limits) == [])
    }

    @Test func `a refusal names the use and the share`() {
        var bus = ScenarioBus()
        for line in ["bus shared retained=10", "connect a 1 uid=7", "connect b 2 uid=8"] {
            _ = bus.run(line)
        }
        _ = bus.run("attach a /a")
        let output = (1...5).flatMap { bus.run("publish a /a M\($0) retain") }
        let sentence =
            "user 7 uses 4 of its share of 4 (retained values), and 1 more would exceed it; "
            + "all users together have 10 (limit retained)"
        #expect(output.contains("a < refused #5 limitReached: \(sentence)"), "\(output)")
    }

    @Test func `values set by the holder of one key do not count against another key`() {
        var bus = ScenarioBus()
        let lines = [
            "bus shared bytesPerUser=842", "connect a 1 uid=7 key=a", "connect b 2 uid=7 key=b",
            "attach a /a", "attach b /b",
        ]
        for line in lines {
            _ = bus.run(line)
        }
        let value = "\"" + String(repeating: "x", count: 150) + "\""
        for (peer, key) in [("a", "first"), ("b", "second")] {
            let output = bus.run("set \(peer) /\(peer) \(key)=\(value)")
            #expect(output.contains { $0.contains("done") }, "\(output)")
        }
        let output = bus.run("set b /b third=\(value)")
        #expect(output.contains { $0.contains("(limit bytesPerUser)") }, "\(output)")
    }

    @Test func `a preference counts at least the memory of its parts`() {
        let elements = JSONValue.array(Array(repeating: .number("0"), count: 1_000))
        let count = elements.keptByteCount(by: .append, atDepth: 1)
        #expect(count > 1_000 * MemoryLayout<JSONValue>.stride)
        let member = JSONValue.Member(key: "", value: .number("0"))
        let members = JSONValue.object(Array(repeating: member, count: 1_000))
        let memberCount = members.keptByteCount(by: .append, atDepth: 1)
        #expect(memberCount > 1_000 * MemoryLayout<JSONValue.Member>.stride)
    }

    @Test(arguments: ["send a trigger oversized", "expel a", "advance 60s"])
    func `a violation is charged to the user of its session, however it is detected`(
        _ line: String
    ) throws {
        var bus = ScenarioBus()
        for line in ["bus shared", "dial a 1 uid=7"] {
            _ = bus.run(line)
        }
        let before = try #require(bus.box).broker.accounts.used(
            .monitorEvents, by: AccountTable.own)
        let output = bus.run(line)
        #expect(output.contains { $0.hasPrefix("log violation") }, "\(output)")
        let accounts = try #require(bus.box).broker.accounts
        #expect(accounts.used(.monitorEvents, by: AccountTable.own) == before)
        #expect(accounts.used(.monitorEvents) > before)
    }

    /// User 9 has `h` and its node, users 7 and 8 have `a` and `b` below it.
    private func threeUsers(_ limits: String, at node: String) -> ScenarioBus {
        var bus = ScenarioBus()
        let lines = [
            "bus shared \(limits)", "connect h 1 uid=9", "connect a 2 uid=7", "connect b 3 uid=8",
            "attach h /h \(node)", "attach a /h/a", "attach b /h/b",
        ]
        for line in lines {
            let output = bus.run(line)
            #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        }
        return bus
    }

    @Test func `a user's waiting emits leave room for another user's at the same node`() {
        var bus = threeUsers("waitingEmits=6", at: "handle:Job prefetch=1")
        for _ in 1...20 {
            _ = bus.run("trigger a /h/a Job emit")
        }
        _ = bus.run("trigger b /h/b Job emit")
        let visits = (1...20).flatMap { _ in bus.run("credit h /h 1") }
        #expect(visits.contains { $0.contains("of b#1") }, "\(visits)")
        #expect(visits.contains { $0.contains("of a#2") }, "\(visits)")
        // Handled emits make room again.
        for _ in 1...3 {
            _ = bus.run("trigger a /h/a Job emit")
        }
        let later = (1...3).flatMap { _ in bus.run("credit h /h 1") }
        #expect(later.contains { $0.contains("of a#22") }, "\(later)")
        #expect(bus.box?.broker.traffic.deliveries.waitingEmits.isEmpty == true)
    }

    @Test func `emits that waited for a lost node are no longer charged`() {
        var bus = threeUsers("waitingEmits=6", at: "handle:Job prefetch=1")
        for _ in 1...3 {
            _ = bus.run("trigger a /h/a Job emit")
        }
        #expect(bus.box?.broker.traffic.deliveries.waitingEmits.isEmpty == false)
        _ = bus.run("lose h")
        #expect(bus.box?.broker.traffic.deliveries.waitingEmits.isEmpty == true)
    }

    @Test func `a user's undeclared names leave room for another user's in the findings`() {
        var bus = threeUsers("credit=1000", at: "triggers:Known")
        for number in 1...300 {
            _ = bus.run("trigger a /h/a Made\(number) emit")
        }
        _ = bus.run("trigger b /h/b Mistaken emit")
        let output = bus.run("check")
        #expect(output.contains { $0.contains("Mistaken") }, "\(output)")
        #expect(output.contains { $0.contains("Made1") }, "\(output)")
        #expect(!output.contains { $0.contains("Made300") }, "\(output)")
    }

    @Test func `a user's monitor events leave room for another user's`() throws {
        var bus = threeUsers("monitored=10", at: "handle:Job")
        _ = bus.run("connect m 4 uid=0")
        _ = bus.run("monitor m")
        for _ in 1...20 {
            _ = bus.run("trigger a /h/a Lost")
        }
        let monitor = bus.peers[try bus.place(named: "m")].id
        _ = bus.run("attach b /h/b/mine")
        let told = bus.sent.filter { $0.peer == monitor }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(told.contains { $0.contains("/h/b/mine") })
        #expect(told.contains { $0.contains("\"Lost\"") })
    }

    @Test(arguments: [
        "rule:k#\\s<=\\s\"0123456789012345678901234567890123456789\"",
        "prefer:k#=\"0123456789012345678901234567890123456789\":append",
        "watch:k1 watch:k2 watch-preference:k1 watch-preference:k2",
        "handle:A handle:B subscribe:C subscribe:D", "triggers:A,B reports:A,B",
    ])
    func `each kind of declaration counts towards its user's bytes`(_ declaration: String) {
        var bus = ScenarioBus()
        // The places and paths of 20 nodes take 12,871 bytes.
        for line in ["bus bytesPerUser=13871", "connect a 1 uid=7", "connect b 2 uid=8"] {
            _ = bus.run(line)
        }
        func attach(_ peer: String, _ number: Int) -> [String] {
            let declared = declaration.replacing("#", with: "\(number)")
            return bus.run("attach \(peer) /\(peer)\(number) \(declared)")
        }
        let output = (1...20).flatMap { attach("a", $0) }
        #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        #expect(output.contains("a < attached /a1"), "\(output)")
        #expect(output.contains { $0.contains("(limit bytesPerUser)") }, "\(output)")
        #expect(attach("b", 1).contains("b < attached /b1"))
        for number in 1...20 where output.contains("a < attached /a\(number)") {
            _ = bus.run("leave a /a\(number)")
        }
        #expect(attach("a", 1).contains("a < attached /a1"))
    }

    @Test func `Limits.md lists every shared table and what happens when it is full`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/Sources/CascadeDaemon/CascadeDaemon.docc/Limits.md"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let rows = text.split(separator: "\n")
        for table in SharedTable.allCases {
            let row = rows.first { $0.hasPrefix("| `\(table.name)` | ") }
            let word =
                switch table.whenFull {
                case .refuses: "refused"
                case .evictsOwn: "its own oldest goes"
                case .evictsMost: "the oldest entry of the user furthest above its share goes"
                }
            #expect(row?.contains(word) == true, "\(table.name)")
        }
    }

    private func filled(_ shared: ShareCase) -> ScenarioBus {
        var bus = ScenarioBus()
        _ = bus.run("bus shared \(shared.limits)")
        fill(&bus, shared, by: "8", 100)
        return bus
    }

    private func fill(_ bus: inout ScenarioBus, _ shared: ShareCase, by other: String, _ count: Int)
    {
        let setup = [
            "connect h 1 uid=9", "connect a 2 uid=7", "connect b 3 uid=\(other)",
            "attach h /h handle:Job prefetch=1000", "attach a /a + /h/a", "attach b /b + /h/b",
        ]
        let fitting = shared.table == "nodes" ? Array(setup.prefix(3)) : setup
        for line in fitting + shared.before {
            let output = bus.run(line)
            #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        }
        for number in 1...count {
            for line in shared.filling {
                let output = bus.run(line.replacing("#", with: "\(number)"))
                // A node that was refused cannot be used by the next lines.
                if output.contains(where: { $0.contains("UNUSABLE") }) {
                    break
                }
            }
        }
    }
}
