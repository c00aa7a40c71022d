// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Commands that continue while the bus is restarted.
    @FaultThread
    @Suite struct CommandLineConnectionTests {
        @Test(arguments: [
            ["monitor"], ["tree", "--watch"], ["top", "--watch"], ["list", "--watch"],
            ["dump", "--watch"], ["status", "/", "--watch"], ["env", "watch"],
        ])
        func `a watching command reports the loss and the return of the bus, and the gap`(
            command: [String]
        ) throws {
            try FaultBus.open { bus in
                let text = try bus.start(command)
                let json = try bus.start(command + ["--json"])
                // The first output shows that the command watches; not all commands have one.
                if command != ["monitor"], command != ["env", "watch"] {
                    #expect(try text.output.line(containing: "") != nil)
                    #expect(try json.output.line(containing: "") != nil)
                } else {
                    try Patience.until("both are attached") { try bus.sessionCount() >= 4 }
                }
                try bus.killDaemon()
                #expect(try text.output.line(containing: "has been unreachable since") != nil)
                let lost = try json.connection()
                #expect(lost["state"].string == "lost")
                #expect(lost["reason"].string == "disconnected")
                #expect(lost["bus"].string == bus.endpoint)
                try bus.startDaemon()
                let back = try #require(try text.output.line(containing: "is back at"))
                #expect(back.contains("another daemon; events from"))
                let restored = try json.connection()
                #expect(restored["state"].string == "restored")
                #expect(restored["restarted"].bool == true)
                #expect(restored["notSeen"]["from"].string == lost["lastSeen"].string)
                #expect(restored["notSeen"]["to"].string == restored["when"].string)
                // The command shows events again.
                if command == ["monitor"] {
                    let node = try bus.attach("/late", ["--handle", "X"])
                    #expect(try text.output.line(containing: "/late") != nil)
                    #expect(try json.output.line(containing: "/late") != nil)
                    withExtendedLifetime(node) {}
                }
            }
        }

        @Test func `a stopped daemon is reported as silent and then as restored without a restart`()
            throws
        {
            try FaultBus.open(["--beat", "200ms"]) { bus in
                let monitor = try bus.start(["monitor", "--json"])
                try Patience.until("it watches") { try bus.sessionCount() >= 3 }
                bus.daemon.stop()
                let lost = try monitor.connection()
                #expect(lost["state"].string == "lost" && lost["reason"].string == "silent")
                bus.daemon.signal(SIGCONT)
                let restored = try monitor.connection()
                #expect(restored["state"].string == "restored")
                #expect(restored["restarted"].bool == false && restored["notSeen"].isMissing)
            }
        }

        @Test func `a monitor with --since continues after a reconnect without repeated events`()
            throws
        {
            try FaultBus.open { bus in
                let line = try CuttableLine(in: bus.directory, to: bus.socketPath)
                defer { line.stop() }
                try bus.attach("/before", ["--handle", "X"]).kill()
                try bus.wait("/before", "vacant")
                let monitor = try SpawnedProgram(
                    "cascadectl", ["monitor", "--since", "1h", "--json"], bus: line.endpoint)
                #expect(try monitor.output.line(containing: "\"lost\"") != nil)
                line.cut()
                #expect(try monitor.connection()["state"].string == "lost")
                #expect(try monitor.connection()["state"].string == "restored")
                let late = try bus.attach("/late", ["--handle", "X"])
                #expect(try monitor.output.line(containing: "/late") != nil)
                monitor.signal(SIGINT)
                let lines = try monitor.end().output.text.split(separator: "\n")
                let events = lines.filter { $0.contains("cascade/v1/monitor") }
                #expect(Set(events).count == events.count)
                #expect(events.count { $0.contains("\"/before\"") && $0.contains("lost") } == 1)
                withExtendedLifetime(late) {}
            }
        }

        @Test
        func `a monitor with --since does not repeat events that a restarted daemon recovers`()
            throws
        {
            try Faults.DurableEventTests.open { bus, _ in
                let monitor = try bus.start(["monitor", "--since", "1h", "--name", "Unwanted"])
                let trigger = try bus.run(["trigger", "Unwanted", "--durable", "--no-wait"])
                trigger.expectSuccess()
                #expect(try monitor.output.line(containing: "triggered") != nil)
                try bus.killDaemon()
                try bus.startDaemon()
                #expect(try monitor.output.line(containing: "were missed") != nil)
                let late = try bus.run(["trigger", "Unwanted", "--from", "/", "--no-wait"])
                late.expectSuccess()
                let id = late.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try monitor.output.line(containing: id) != nil)
                monitor.signal(SIGINT)
                let text = try monitor.end().output.text
                let first = trigger.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
                let lines = text.split(separator: "\n").filter { $0.contains(first) }
                #expect(lines.count { $0.contains("triggered") } == 1, "\(text)")
            }
        }

        @Test(arguments: [
            ["tree", "/shop", "--watch"],
            ["status", "/shop", "--watch"], ["preferences", "/shop", "--watch"],
            ["tree", "/shop", "--watch", "--env", "k"],
        ])
        func `a watched place is reported as missing after a restart, and shown on its return`(
            command: [String]
        ) throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--handle", "Order"])
                let text = try bus.start(command)
                let json = try bus.start(command + ["--json"])
                #expect(try text.output.line(containing: "") != nil)
                #expect(try json.output.line(containing: "/shop") != nil)
                // While it is stopped, the node does not attach again.
                node.stop()
                try bus.killDaemon()
                try bus.startDaemon()
                #expect(try text.output.line(containing: "there is no node at '/shop'") != nil)
                let absence = try json.output.line(containing: "cascade/v1/absence")
                let message = try JSONText(try #require(absence))["message"].string
                #expect(message?.contains("'/shop'") == true, "\(message ?? "")")
                node.signal(SIGCONT)
                try bus.wait("/shop", "live")
                #expect(try json.output.line(containing: "\"/shop\"") != nil)
                text.signal(SIGINT)
                #expect(try text.end().exitCode == 130)
            }
        }

        @Test func `a node that a restarted daemon waits for is neither gone nor vacant`() throws {
            try FaultBus.open(["--reattach", "10s"]) { bus in
                let node = try bus.attach("/shop", ["--handle", "Order"])
                node.stop()
                try bus.killDaemon()
                try bus.startDaemon()
                for state in ["gone", "vacant"] {
                    let early = try bus.run(
                        ["wait", "/shop", "--state", state, "--timeout", "10ms"])
                    #expect(early.exitCode == 75)
                }
                // A wait that runs during the restart does not end early, either.
                let gone = try bus.start(["wait", "/shop", "--state", "gone", "--json"])
                node.signal(SIGCONT)
                try bus.wait("/shop", "live")
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                #expect(try gone.end().document()["state"].string == "gone")
                // After the reattach time, a place without a node is gone.
                try bus.run(["wait", "/absent", "--state", "gone"]).expectSuccess()
            }
        }

        @Test func `a capture records a gap, and its replay skips it`() throws {
            try FaultBus.open { bus in
                let file = bus.directory + "/capture"
                let capture = try bus.start(["capture", file])
                #expect(try capture.diagnostics.line(containing: "recording") != nil)
                try bus.run(["trigger", "Before"]).expectEnd(3)
                try bus.killDaemon()
                #expect(
                    try capture.diagnostics.line(containing: "has been unreachable since") != nil)
                try bus.startDaemon()
                #expect(try capture.diagnostics.line(containing: "were missed") != nil)
                try bus.run(["trigger", "After"]).expectEnd(3)
                try Patience.until("it is recorded") {
                    try String(contentsOfFile: file, encoding: .utf8).contains("After")
                }
                capture.signal(SIGINT)
                #expect(try capture.end().exitCode == 130)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("\"notSeen\""))
                let replay = try bus.run(["replay", file, "--speed", "0", "--json"])
                replay.expectSuccess()
                let outcomes = try replay.output.text.split(separator: "\n").map {
                    try JSONText($0)
                }
                #expect(Set(outcomes.map { $0["name"].string }) == ["Before", "After"])
                #expect(outcomes.count == 2)
                #expect(outcomes.allSatisfy { $0["outcome"].string == "unhandled" })
                #expect(!replay.diagnostics.text.contains("left out"))
            }
        }
    }
}

extension SpawnedProgram {
    /// The next document about the connection in the JSON output.
    fileprivate func connection() throws -> JSONText {
        let line = try #require(try output.line(containing: "cascade/v1/connection"))
        return try JSONText(line)
    }
}

extension FaultBus {
    /// The number of sessions, including that of the query.
    fileprivate func sessionCount() throws -> Int {
        try counters()["sessions"] ?? 0
    }
}

extension SpawnedProgram.Ending {
    fileprivate func expectEnd(_ code: Int32) {
        #expect(exitCode == code, "\(diagnostics.text)")
    }
}
