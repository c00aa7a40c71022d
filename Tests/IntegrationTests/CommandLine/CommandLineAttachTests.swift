// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineAttachTests {
        @Test func `responders are asked in the order of their options`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a",
                    [
                        "--observe", "X", "--subscribe", "X", "--receive", "*", "--observe=X",
                        "--transform", "X=Y", "--handle", "X", "--handle", "Y",
                    ])
                let outcome = try bus.run(["trigger", "X", "--from", "/a", "--json"]).document()
                let asked = outcome["trail"].elements.map {
                    [
                        $0["kind"].string, $0["name"].string,
                        $0["responder"].integer.map(String.init),
                    ]
                }
                #expect(
                    asked == [
                        ["observe", "X", "0"], ["receive", "X", "1"], ["observe", "X", "2"],
                        ["transform", "X", "3"], ["handle", "Y", "5"],
                    ])
                let lines = try (0..<5).map { _ in try node.output.line(ofLane: "event") }
                #expect(lines.map { $0["responder"].integer } == [0, 1, 2, 3, 5])
                #expect(lines.map { $0["name"].string } == ["X", "X", "X", "X", "Y"])
                #expect(lines.allSatisfy { $0["origin"].string == "/a" })
                #expect(Set(lines.map { $0["id"].string }) == [outcome["id"].string])
            }
        }

        @Test func `--throw and --delay apply to the responder before them`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a",
                    [
                        "--handle", "Good", "--handle", "Bad", "--throw", "jammed", "--delay",
                        "30ms",
                        "--subscribe", "Bell", "--throw", "deaf",
                    ])
                try bus.run(["trigger", "Good", "--from", "/a"]).expectSuccess()
                let bad = try bus.run(["trigger", "Bad", "--from", "/a", "--json"]).document()
                #expect(bad["error"]["name"].string == "jammed")
                #expect(try #require(bad["trail"][0]["microseconds"].integer) >= 30_000)
                let bell = try bus.run(["publish", "Bell", "--json"])
                #expect(bell.exitCode == 10)
                #expect(try bell.document()["error"]["name"].string == "deaf")
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a command's exit status is its verdict, and its standard error the message`()
            throws
        {
            try FaultBus.open { bus in
                let script = "read -r code; echo words >&2; exit $code"
                let node = try bus.attach("/a", ["--receive", "X", "--", "sh", "-c", script])
                let handled = try bus.run(["trigger", "X", "0", "--from", "/a"])
                let passed = try bus.run(["trigger", "X", "1", "--from", "/a"])
                let failed = try bus.run(["trigger", "X", "2", "--from", "/a", "--json"])
                #expect(handled.exitCode == 0 && passed.exitCode == 3 && failed.exitCode == 10)
                let error = try failed.document()["error"]
                #expect(error["name"].string == "commandFailed")
                #expect(error["message"].string == "words")
                #expect(error["node"].string == "/a")
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a command reads its visit from environment variables`() throws {
            try FaultBus.open { bus in
                let script = "env | grep '^CASCADE_' | sort >&2; cat >&2"
                let node = try bus.attach(
                    "/a", ["--receive", "Other", "--handle", "X", "--", "sh", "-c", script])
                let ending = try bus.run(
                    [
                        "trigger", "X", "[1]", "--from", "/a", "--attribute", "paper-size=A4",
                        "--attribute", "colour=two words", "--json",
                    ])
                ending.expectSuccess()
                let said = try #require(try node.diagnostics.line(containing: "CASCADE_RESPONDER"))
                #expect(said == "CASCADE_RESPONDER=1")
                let all = node.diagnostics.text
                for expected in [
                    "CASCADE_ATTRIBUTE_PAPER_SIZE=A4", "CASCADE_ATTRIBUTE_COLOUR=two words",
                    "CASCADE_LANE=event", "CASCADE_NAME=X", "CASCADE_ORIGIN=/a", "CASCADE_PATH=/a",
                    "CASCADE_ID=\(try ending.document()["id"].string ?? "")",
                ] {
                    #expect(all.contains(expected + "\n"))
                }
            }
        }

        @Test func `the output of a command is the new payload of a transform`() throws {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle", "*"])
                let node = try bus.attach("/a/b", ["--transform", "X=Y", "--", "tr", "a-z", "A-Z"])
                let outcome = try bus.run(["trigger", "X", #""abc""#, "--from", "/a/b", "--json"])
                #expect(try outcome.document()["by"].string == "/a")
                let line = try above.output.line(ofLane: "event")
                #expect(line["name"].string == "Y" && line["payload"].string == "ABC")
                let broken = try bus.run(["trigger", "X", "null", "--from", "/a/b", "--json"])
                #expect(broken.exitCode == 10)
                #expect(try broken.document()["error"]["name"].string == "commandFailed")
                withExtendedLifetime(node) {}
            }
        }

        @Test(arguments: [
            ("kill -9 $$", 10), ("exec nonsuch", 10), ("exit 0", 0), ("sleep 5 & exit 0", 0),
        ])
        func `a command that fails, does not read or leaves children does not block its node`(
            script: String, exitCode: Int32
        ) throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--", "sh", "-c", script])
                let trigger = try bus.start(["trigger", "X", "-", "--from", "/a"])
                trigger.write(line: "\"" + String(repeating: "x", count: 50_000) + "\"")
                trigger.closeInput()
                #expect(try trigger.end().exitCode == exitCode)
                node.signal(SIGTERM)
                #expect(try node.output.line(containing: "never") == nil)
            }
        }

        @Test func `a node that is signalled at any moment of its start exits with 0`() throws {
            try FaultBus.open { bus in
                for round in 0..<40 {
                    let number = round.isMultiple(of: 2) ? SIGTERM : SIGINT
                    let node = try bus.start(["attach", "/early", "--handle", "X"])
                    // The program asks for one signal after the other.
                    try Patience.until("it catches the signal") { try node.isCatching(number) }
                    // Every round signals at a later step: the node opens descriptors until it has
                    // attached.
                    let count = 3 + round / 2
                    try Patience.until("it has \(count) descriptors, or has attached") {
                        try bus.daemon.diagnostics.readWhatIsThere()
                        return try node.openFileCount() >= count
                            || bus.daemon.diagnostics.text.contains(
                                "/early attached by process \(node.processID)\n")
                    }
                    node.signal(number)
                    let ending = try node.end()
                    #expect(ending.exitCode == 0, "\(round): \(ending.diagnostics.text)")
                    #expect(try bus.run(["tree", "/early"]).exitCode == 4)
                }
            }
        }

        @Test func `a node that is signalled while the bus does not answer exits`() throws {
            try FaultBus.open { bus in
                bus.daemon.stop()
                let node = try bus.start(["attach", "/a", "--handle", "X"])
                try Patience.until("it catches signals") { try node.isCatching(SIGTERM) }
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                bus.daemon.signal(SIGCONT)
            }
        }

        @Test func `a node that is signalled while it attaches exits when the bus is gone`() throws
        {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            var daemon: FakeDaemon? = try FakeDaemon(endpoint)
            let node = try SpawnedProgram(
                "cascadectl", ["attach", "/a", "--handle", "X"], bus: endpoint)
            try daemon?.answerGreeting(with: Self.welcome)
            try daemon?.hear(.attach)
            node.signal(SIGTERM)
            daemon = nil
            #expect(try node.end().exitCode == 0)
        }

        @Test func `a visit to a responder that the node does not have fails`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            let daemon = try FakeDaemon(endpoint)
            let node = try SpawnedProgram(
                "cascadectl", ["attach", "/a", "--handle", "X"], bus: endpoint)
            defer { node.signal(SIGKILL) }
            try daemon.answerGreeting(with: Self.welcome)
            let attach = try Attach(parsing: daemon.hear(.attach))
            try daemon.send(
                Attached(request: attach.request, nodes: [.init(path: "/a", number: 7)]).encoded())
            _ = try node.output.line(ofLane: "attached")
            try daemon.send(
                Define([
                    .name(number: 2, "X"), .node(number: 3, "/a/b"),
                    .session(
                        number: 4, SessionIdentity(SessionID(high: 1, low: 1), isProven: true)),
                ]).encoded())
            let visit = Header(
                .visit, index: 1, node: 7, name: 2, id: 1, sequence: 1, origin: 3, session: 4,
                time: 5_000)
            try daemon.send(visit.encoded())
            let verdict = try Verdict(parsing: daemon.hear(.verdict, skipping: .accept))
            #expect(verdict.code == .failed)
            #expect(verdict.failure?.message == "'/a' has no responder 1")
        }

        private static let welcome = Welcome(
            version: 1, bus: "fake", release: "", processID: 1, credit: 1,
            beatMilliseconds: 1_000, limits: [])

        @Test func `a node that is signalled finishes its event and gives up its place`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--delay", "300ms"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a"])
                _ = try node.output.line(ofLane: "event")
                node.signal(SIGINT)
                #expect(try trigger.end().exitCode == 0)
                #expect(try node.end().exitCode == 0)
                #expect(try bus.run(["tree", "/a"]).exitCode == 4)
            }
        }
    }
}
