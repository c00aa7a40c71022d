// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineStdioTests {
        @Test(arguments: [
            (#""verdict":"handled""#, 0), (#""verdict":"notHandled""#, 3),
            (#""verdict":"failed","error":"jammed","message":"paper""#, 10),
        ])
        func `a line answers a visit`(verdict: String, exitCode: Int32) throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--receive", "X", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a", "--json"])
                try node.answer(verdict)
                let ending = try trigger.end()
                #expect(ending.exitCode == exitCode)
                if exitCode == 10 {
                    #expect(try ending.document()["error"]["name"].string == "jammed")
                    #expect(try ending.document()["error"]["message"].string == "paper")
                }
            }
        }

        // All visits of an event have its ID, so verdicts apply to them in order.
        @Test func `each responder of a node that an event visits is answered by a line`() throws {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle", "*"])
                let node = try bus.attach(
                    "/a/b",
                    ["--observe", "*", "--transform", "X=Y", "--receive", "Y", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "1", "--from", "/a/b", "--json"])
                try node.answer(#""verdict":"notHandled""#)
                try node.answer(#""verdict":"replaced","payload":{"n":2}"#)
                try node.answer(#""verdict":"notHandled""#)
                let outcome = try trigger.end().document()
                #expect(outcome["by"].string == "/a")
                #expect(
                    outcome["trail"].elements.map { $0["verdict"].string } == [
                        "passed", "replaced", "passed", "handled",
                    ])
                let line = try above.output.line(ofLane: "event")
                #expect(line["name"].string == "Y" && line["payload"]["n"].integer == 2)
            }
        }

        @Test func `lines trigger and publish, and each outcome has its line's ref`() throws {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle", "Up"])
                let below = try bus.attach("/a/b/c", ["--subscribe", "Down"])
                let node = try bus.attach("/a/b", ["--handle", "Up", "--stdio"])
                node.write(
                    line: #"{"trigger":"Up","payload":[1],"attributes":{"k":"v"},"ref":{"n":1}}"#)
                let outcome = try node.output.line(ofLane: "outcome")
                #expect(outcome["outcome"].string == "handled" && outcome["by"].string == "/a")
                #expect(outcome["ref"]["n"].integer == 1)
                let visit = try above.output.line(ofLane: "event")
                #expect(visit["origin"].string == "/a/b" && visit["id"] == outcome["id"])
                #expect(visit["attributes"]["k"].string == "v")
                node.write(line: #"{"trigger":"Up","includingSelf":true,"deadline":"20s","ref":2}"#)
                try node.answer(#""verdict":"handled""#)
                #expect(try node.output.line(ofLane: "outcome")["by"].string == "/a/b")
                node.write(line: #"{"publish":"Down","to":"all","payload":"x"}"#)
                let delivered = try node.output.line(ofLane: "outcome")
                #expect(delivered["paths"].strings == ["/a/b/c"])
                #expect(try below.output.line(ofLane: "publication")["origin"].string == "/a/b")
            }
        }

        @Test(arguments: [
            ("nonsense", "the line is not JSON: expected a value at byte 1"),
            ("{}", "the line has none of the members 'verdict', 'trigger', "),
            (#"{"triger":"X"}"#, "'active'; did you mean 'trigger'?"),
            ("[]", "the line is not a JSON object"), ("5", "the line is not a JSON object"),
            (#"{"verdict":"handled"}"#, "a verdict needs an 'id'"),
            (#"{"id":"1","verdict":"so-so"}"#, "handled, notHandled, replaced or failed"),
            (#"{"id":"unknown","verdict":"handled"}"#, "no visit 'unknown' waits for a verdict"),
            (#"{"trigger":"no name"}"#, "the name 'no name' is not valid"),
            (#"{"trigger":5}"#, "a name is not a string"),
            (#"{"trigger":"X","deadline":"soon"}"#, "'deadline' is not a duration: write "),
            (#"{"trigger":"X","attributes":{"a":1}}"#, "the attribute 'a' is not a string"),
            (#"{"publish":"X","to":"some"}"#, "'to' must be last, lastLevel, firstLevel or all"),
            (#"{"active":"yes"}"#, "'active' must be true or false"),
            ("\u{1B}[31m{", "the line is not JSON: "),
            (#"{"trigger":"X","request":"Y"}"#, "'trigger' and 'request'; write a line for each"),
            (#"{"active":false,"env":{"k":1}}"#, "the line has 'env' and 'active'; write"),
            (#"{"prefer":{"k":1},"reducer":"sum","active":false}"#, "has 'prefer' and 'active'"),
            (#"{"id":"1","verdict":"failed"}"#, "the verdict 'failed' needs an 'error'"),
        ])
        func `a malformed line is a problem that says why, and later lines work`(
            line: String, words: String
        ) throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--stdio"])
                node.write(line: line)
                let problem = try node.output.line(ofLane: "problem")
                #expect(problem["message"].string?.contains(words) == true, "\(problem)")
                let trigger = try bus.start(["trigger", "X", "--from", "/a"])
                try node.answer(#""verdict":"handled""#)
                #expect(try trigger.end().exitCode == 0)
            }
        }

        @Test func `a line activates or deactivates the node`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--subscribe", "Bell", "--stdio", "--inactive"])
                node.write(line: #"{"active":true,"ref":4}"#)
                #expect(try node.output.line(ofLane: "done")["ref"].integer == 4)
                try bus.wait("/a", "live")
                node.write(line: #"{"active":false}"#)
                try bus.wait("/a", "inactive")
            }
        }

        @Test func `at the end of the input the node leaves after its events have ended`() throws {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle", "X", "--delay", "300ms"])
                let node = try bus.attach("/a/b", ["--handle", "Y", "--stdio"])
                node.write(line: #"{"trigger":"X","ref":"last"}"#)
                node.closeInput()
                let ending = try node.end()
                #expect(ending.exitCode == 0)
                #expect(ending.output.text.contains(#""lane":"outcome","ref":"last""#))
                #expect(try bus.run(["tree", "/a/b"]).exitCode == 4)
                withExtendedLifetime(above) {}
            }
        }

        @Test func `a visit without an answer at the end of the input is lost`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a", "--json"])
                _ = try node.output.line(ofLane: "event")
                node.closeInput()
                #expect(try node.end().exitCode == 0)
                let ending = try trigger.end()
                #expect(ending.exitCode == 10)
                #expect(try ending.document()["error"]["name"].string == "nodeLost")
            }
        }

        @Test func `a visit that is open during a restart of the daemon is answered once`() throws {
            try FaultBus.open(["--reattach", "20s"]) { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--stdio"])
                let below = try bus.attach("/a/b", ["--stdio"])
                below.write(line: #"{"trigger":"X","ref":1}"#)
                let first = try node.output.line(ofLane: "event")
                try bus.killDaemon()
                try bus.startDaemon()
                try node.answer(#""verdict":"handled""#)
                let outcome = try below.output.line(ofLane: "outcome")
                #expect(outcome["id"] == first["id"] && outcome["by"].string == "/a")
            }
        }
    }
}

extension SpawnedProgram {
    /// Answers the next visit by a line.
    @FaultThread
    fileprivate func answer(_ verdict: String) throws {
        let id = try output.line(ofLane: "event")["id"].string ?? ""
        write(line: #"{"id":"\#(id)",\#(verdict)}"#)
    }
}
