// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct DaemonRestartTests {
        @Test func `after a restart every node attaches again, and events and publications work`()
            throws
        {
            try FaultBus.open { bus in
                let kitchen = try bus.attach("/kitchen", ["--handle", "Order"])
                let oven = try bus.attach("/kitchen/oven", ["--subscribe", "Menu"])
                let before = try bus.tree()
                try bus.killDaemon()
                try bus.startDaemon()
                for path in ["/kitchen", "/kitchen/oven", "/witness"] {
                    try bus.wait(path, "live")
                }
                let after = try bus.tree()
                // The order of attaching, and so that of the tree, is random.
                #expect(Set(after.nodes.map(\.path)) == Set(before.nodes.map(\.path)))
                for path in ["/kitchen", "/kitchen/oven"] {
                    #expect(after[path] == before[path])
                }
                let outcome = try bus.trigger("Order", ["--from", "/kitchen/oven"])
                #expect(outcome.by == "/kitchen")
                #expect(try kitchen.output.line(containing: outcome.id) != nil)
                let published = try ShownOutcome(bus.run(["publish", "Menu", "--json"]))
                #expect(published.paths == ["/kitchen/oven"])
                #expect(try oven.output.line(containing: published.id) != nil)
            }
        }

        /// The line without the mark of a redelivery.
        private func withoutMark(_ line: String) -> String {
            #expect(line.contains(#""sentAgain":true,"#))
            return line.replacingOccurrences(of: #""sentAgain":true,"#, with: "")
        }

        // The handler answers by lines: an event that it has not answered when the daemon is killed
        // is delivered again.
        @Test func `an event under way when the daemon is killed is redelivered and ends once`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let trigger = try bus.start(["trigger", "Order", "--from", "/kitchen", "--json"])
                let first = try #require(try handler.output.line(containing: "Order"))
                try bus.killDaemon()
                try bus.startDaemon()
                let second = try #require(try handler.output.line(containing: "Order"))
                #expect(first == withoutMark(second))
                let id = try #require(eventID(in: second))
                handler.write(line: "{\"id\":\"\(id)\",\"verdict\":\"handled\"}")
                let outcome = try ShownOutcome(trigger.end())
                #expect(outcome.exitCode == 0)
                #expect(outcome.outcome == "handled" && outcome.by == "/kitchen")
                #expect(outcome.id == id)
                #expect(try bus.counters()["handled"] == 1)
            }
        }

        @Test func `a daemon that is stopped by a signal lets events under way end`() throws {
            try FaultBus.open { bus in
                let handler = try bus.attach(
                    "/kitchen", ["--handle", "Order", "--delay", "300ms"])
                let trigger = try bus.start(["trigger", "Order", "--from", "/kitchen", "--json"])
                try #require(try handler.output.line(containing: "Order") != nil)
                bus.daemon.signal(SIGTERM)
                #expect(try bus.daemon.end().exitCode == 0)
                #expect(try ShownOutcome(trigger.end()).outcome == "handled")
                try bus.startDaemon()
                try bus.wait("/witness", "live")
            }
        }

        @Test func `an event that outlasts a stopping daemon is redelivered to the next one`()
            throws
        {
            try FaultBus.open { bus in
                let handler = try bus.attach("/kitchen", ["--handle", "Order", "--stdio"])
                let trigger = try bus.start(["trigger", "Order", "--from", "/kitchen", "--json"])
                let first = try #require(try handler.output.line(containing: "Order"))
                bus.daemon.signal(SIGTERM)
                #expect(try bus.daemon.end().exitCode == 0)
                try bus.startDaemon()
                let second = try #require(try handler.output.line(containing: "Order"))
                #expect(first == withoutMark(second))
                let id = try #require(eventID(in: second))
                handler.write(line: "{\"id\":\"\(id)\",\"verdict\":\"handled\"}")
                let outcome = try ShownOutcome(trigger.end())
                #expect(outcome.exitCode == 0 && outcome.outcome == "handled")
            }
        }

        @Test func `a second daemon at a live endpoint exits and names the first`() throws {
            try FaultBus.open { bus in
                let second = try SpawnedProgram(
                    "cascaded", ["--listen", bus.endpoint], bus: bus.endpoint)
                let ending = try second.end()
                #expect(ending.exitCode == 1)
                #expect(ending.diagnostics.text.contains("process \(bus.daemon.processID)"))
                #expect(ending.diagnostics.text.contains(bus.endpoint))
            }
        }

        @Test func `a stale socket file is replaced`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            try RawStream.leaveStaleSocket(directory + "/bus.sock")
            let bus = try FaultBus(directory: directory, [])
            let node = try bus.attach("/kitchen", ["--handle", "Order"])
            #expect(try bus.trigger("Order", ["--from", "/kitchen"]).by == "/kitchen")
            node.signal(SIGTERM)
            #expect(try node.end().exitCode == 0)
        }

        private func eventID(in line: String) -> String? {
            line.split(separator: "\"id\":\"").last?.split(separator: "\"").first
                .map(String.init)
        }
    }
}
