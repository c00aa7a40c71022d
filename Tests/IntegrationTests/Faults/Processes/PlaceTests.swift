// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct PlaceTests {
        @Test func `processes may start in any order`() throws {
            try FaultBus.open { bus in
                let lowest = try bus.attach("/house/kitchen/oven", ["--observe", "Order"])
                let highest = try bus.attach("/house", ["--handle", "Order"])
                let early = try bus.tree()
                #expect(early["/house/kitchen"]?.state == "vacant")
                #expect(try bus.trigger("Order", ["--from", "/house/kitchen/oven"]).by == "/house")
                let middle = try bus.attach("/house/kitchen", ["--handle", "Order"])
                let late = try bus.tree()
                #expect(late["/house/kitchen"]?.pid == middle.processID)
                #expect(late["/house/kitchen/oven"] == early["/house/kitchen/oven"])
                let outcome = try bus.trigger("Order", ["--from", "/house/kitchen/oven"])
                #expect(outcome.by == "/house/kitchen")
                #expect(try lowest.output.line(containing: outcome.id) != nil)
                highest.signal(SIGTERM)
                #expect(try highest.end().output.text.contains(outcome.id) == false)
            }
        }

        @Test func `a path that is held is refused, and the error names the holder`() throws {
            try FaultBus.open { bus in
                let holder = try bus.attach("/kitchen", ["--handle", "Order"])
                let before = try bus.tree()
                let refused = try bus.run(["attach", "/kitchen", "--handle", "Order"])
                #expect(refused.exitCode == 77)
                #expect(refused.output.bytes.isEmpty)
                #expect(refused.diagnostics.text.contains("process \(holder.processID)"))
                #expect(try bus.tree() == before)
                #expect(try bus.trigger("Order", ["--from", "/kitchen"]).by == "/kitchen")
            }
        }

        @Test func `a restarted process attaches although its predecessor's exit was undetected`()
            throws
        {
            try FaultBus.open { bus in
                let paths = (1...8).map { "/kitchen/\($0)" }
                let predecessors = try paths.map { try bus.attach($0, ["--handle", "Order"]) }
                bus.daemon.signal(SIGSTOP)
                for predecessor in predecessors {
                    predecessor.kill()
                    #expect(try predecessor.end().exitCode == nil)
                }
                let successors = try paths.map { path in
                    try bus.start(["attach", path, "--handle", "Order"])
                }
                bus.daemon.signal(SIGCONT)
                for successor in successors {
                    #expect(try successor.output.line(containing: "\"attached\"") != nil)
                }
                #expect(try bus.trigger("Order", ["--from", paths[0]]).by == paths[0])
            }
        }

        @Test func `a process whose node is taken over is told the reason and exits`() throws {
            try FaultBus.open { bus in
                let old = try bus.attach("/kitchen", ["--handle", "Order"])
                let new = try bus.attach("/kitchen", ["--handle", "Order", "--takeover"])
                let ending = try old.end()
                #expect(ending.exitCode == 77)
                let last = ending.output.text.split(separator: "\n").last ?? ""
                #expect(last.contains("\"lane\":\"detached\""))
                #expect(last.contains("\"reason\":\"takenOver\""))
                let outcome = try bus.trigger("Order", ["--from", "/kitchen"])
                #expect(try new.output.line(containing: outcome.id) != nil)
            }
        }

        @Test func `exactly one of several processes that claim a vacant path attaches`() throws {
            try FaultBus.open { bus in
                let child = try bus.attach("/kitchen/oven", ["--observe", "Order"])
                let claimants = try (0..<6).map { _ in
                    try bus.start(["attach", "/kitchen", "--handle", "Order"])
                }
                let winners = try claimants.filter { claimant in
                    try claimant.output.line(containing: "\"attached\"") != nil
                }
                #expect(winners.count == 1)
                for loser in claimants where loser !== winners.first {
                    #expect(try loser.end().exitCode == 77)
                }
                #expect(try bus.tree()["/kitchen"]?.pid == winners.first?.processID)
                #expect(try bus.trigger("Order", ["--from", "/kitchen/oven"]).by == "/kitchen")
                child.signal(SIGTERM)
                #expect(try child.end().exitCode == 0)
            }
        }
    }
}
