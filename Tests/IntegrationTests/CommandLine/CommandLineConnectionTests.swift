// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Commands that go on while the bus goes and comes back.
    @FaultThread
    @Suite struct CommandLineConnectionTests {
        @Test(
            "A command that goes on says when the bus has gone, that it is back, and what it missed",
            arguments: [
                ["monitor"], ["tree", "--watch"], ["top", "--watch"], ["list", "--watch"],
                ["dump", "--watch"], ["status", "/", "--watch"], ["env", "watch"],
            ])
        func goesOn(command: [String]) throws {
            try FaultBus.open { bus in
                let text = try bus.start(command)
                let json = try bus.start(command + ["--json"])
                // What a command says at first says that it watches; not all say anything.
                if command != ["monitor"], command != ["env", "watch"] {
                    #expect(try text.output.line(containing: "") != nil)
                    #expect(try json.output.line(containing: "") != nil)
                } else {
                    try Patience.until("both are attached") { try bus.sessionCount() >= 4 }
                }
                try bus.killDaemon()
                #expect(try text.output.line(containing: "is gone since") != nil)
                let lost = try json.connection()
                #expect(lost["state"].string == "lost")
                #expect(lost["reason"].string == "disconnected")
                #expect(lost["bus"].string == bus.endpoint)
                try bus.startDaemon()
                let back = try #require(try text.output.line(containing: "is back at"))
                #expect(back.contains("another daemon; what happened from"))
                let restored = try json.connection()
                #expect(restored["state"].string == "restored")
                #expect(restored["restarted"].bool == true)
                #expect(restored["notSeen"]["from"].string == lost["lastSeen"].string)
                #expect(restored["notSeen"]["to"].string == restored["when"].string)
                // The command is of use again.
                if command == ["monitor"] {
                    let node = try bus.attach("/late", ["--handle", "X"])
                    #expect(try text.output.line(containing: "/late") != nil)
                    #expect(try json.output.line(containing: "/late") != nil)
                    #expect(node.processID > 0)
                }
            }
        }

        @Test("A daemon that stands still is told apart from one that is there")
        func silent() throws {
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

        @Test("A capture has in it what it has missed, and is replayed without")
        func capture() throws {
            try FaultBus.open { bus in
                let file = bus.directory + "/capture"
                let capture = try bus.start(["capture", file])
                #expect(try capture.diagnostics.line(containing: "recording") != nil)
                try bus.run(["trigger", "Before"]).expectEnd(3)
                try bus.killDaemon()
                #expect(try capture.diagnostics.line(containing: "is gone since") != nil)
                try bus.startDaemon()
                #expect(try capture.diagnostics.line(containing: "was not seen") != nil)
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
                #expect(!replay.diagnostics.text.contains("left out"))
            }
        }
    }
}

extension SpawnedProgram {
    /// The next document about the connection to the bus, in lines of JSON.
    fileprivate func connection() throws -> JSONText {
        let line = try #require(try output.line(containing: "cascade/v1/connection"))
        return try JSONText(line)
    }
}

extension FaultBus {
    /// How many sessions there are, that of the question among them.
    fileprivate func sessionCount() throws -> Int {
        try counters()["sessions"] ?? 0
    }
}

extension SpawnedProgram.Ending {
    fileprivate func expectEnd(_ code: Int32) {
        #expect(exitCode == code, "\(diagnostics.text)")
    }
}
