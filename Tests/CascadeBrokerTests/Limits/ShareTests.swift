// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import FoundationEssentials
import Testing

@testable import CascadeBroker

@Suite struct ShareTests {
    @Test(
        "One user fills a table, and another works as before, whatever table it is",
        arguments: ShareCase.all)
    func othersWork(_ shared: ShareCase) {
        var bus = filled(shared)
        let output = shared.after.flatMap { bus.run($0) }
        #expect(!output.contains { $0.contains("UNUSABLE") }, "\(output)")
        #expect(output.contains { $0.contains(shared.sign) } != shared.isAbsent, "\(output)")
    }

    @Test(
        "Where one user alone can reach the bus, it has all of each table", arguments: ShareCase.all
    )
    func allOfIt(_ shared: ShareCase) throws {
        var bus = ScenarioBus()
        _ = bus.run("bus \(shared.limits)")
        fill(&bus, shared, by: "7", 40)
        let table = try #require(SharedTable.allCases.first { $0.name == shared.table })
        let broker = try #require(bus.broker)
        let limit = Int(table.limit(in: broker.configuration.limits))
        // One more of what fills it would be more than there is.
        let used = broker.accounts.used(table)
        #expect(used <= limit)
        #expect(Double(used) > 0.8 * Double(limit), "\(used) of \(limit)")
    }

    @Test("No table is left out")
    func complete() {
        let tables = Set(SharedTable.allCases.map(\.name))
        #expect(tables.symmetricDifference(ShareCase.all.map(\.table)) == [])
        let limits = Set(Limits().named.map(\.name))
        #expect(tables.subtracting(limits) == [])
    }

    @Test("A refusal says what is used, and what the share is")
    func sentence() {
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

    @Test("The documentation lists every table, and what becomes of what has no room")
    func documented() throws {
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
                // A node that was refused cannot be used either.
                if output.contains(where: { $0.contains("UNUSABLE") }) {
                    break
                }
            }
        }
    }
}
