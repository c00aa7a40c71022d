// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandLineContract {
    /// Errors, requests, cascades and causes in the lines of a program behind a node.
    @FaultThread
    @Suite struct CommandLineStdioLaneTests {
        @Test func `a line answers a request, with or without a reply`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--respond", "X", "--stdio"])
                let first = try bus.start(["request", "X", "--from", "/a"])
                try node.answer(#""verdict":"handled","reply":{"z":1,"a":[2.0]}"#, in: "request")
                #expect(try first.end().output.text == #"{"z":1,"a":[2.0]}"# + "\n")
                let second = try bus.start(["request", "X", "--from", "/a"])
                try node.answer(#""verdict":"handled""#, in: "request")
                let empty = try second.end()
                #expect(empty.exitCode == 0 && empty.output.bytes.isEmpty)
                let third = try bus.start(["request", "X", "--from", "/a"])
                try node.answer(#""verdict":"notHandled""#, in: "request")
                #expect(try third.end().exitCode == 3)
            }
        }

        @Test func `a failure's message and title reach the error responders and the origin`()
            throws
        {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--receive-error", "jam", "--stdio"])
                let node = try bus.attach("/a/b", ["--handle", "X", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a/b", "--json"])
                try node.answer(
                    #""verdict":"failed","error":"jam","message":"paper","title":"Printer""#)
                let line = try above.output.line(ofLane: "error")
                #expect(line["title"].string == "Printer" && line["message"].string == "paper")
                #expect(line["node"].string == "/a/b")
                above.write(line: #"{"id":"\#(line["id"].string ?? "")","verdict":"notHandled"}"#)
                let ending = try trigger.end()
                #expect(ending.exitCode == 10)
                let error = try ending.document()["error"]
                #expect(error["title"].string == "Printer" && error["message"].string == "paper")
            }
        }

        @Test func `lines report, request and cascade, and each outcome has its line's ref`() throws
        {
            try FaultBus.open { bus in
                let above = try bus.attach(
                    "/a", ["--handle-error", "Jam", "--respond", "Sum", "--observe", "Save"])
                let node = try bus.attach("/a/b", ["--respond", "Sum", "--stdio"])
                node.write(line: #"{"report":"Jam","message":"m","title":"t","ref":1}"#)
                let reported = try node.output.line(ofLane: "outcome")
                #expect(reported["outcome"].string == "handled" && reported["ref"].integer == 1)
                #expect(try above.output.line(ofLane: "error")["message"].string == "m")
                node.write(line: #"{"request":"Sum","payload":[3],"ref":2}"#)
                let answered = try node.output.line(ofLane: "outcome")
                #expect(answered["reply"][0].integer == 3 && answered["ref"].integer == 2)
                node.write(line: #"{"cascade":"Save","ref":3}"#)
                let cascaded = try node.output.line(ofLane: "outcome")
                #expect(cascaded["paths"].strings == ["/a"] && cascaded["ref"].integer == 3)
                node.write(line: #"{"trigger":"cascade.X","ref":4}"#)
                #expect(try node.output.line(ofLane: "problem")["ref"].integer == 4)
            }
        }

        @Test func `an event caused by a visit is one cause deeper, until it is looped`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a", ["--handle", "X", "--subscribe", "X", "--stdio", "--concurrency", "64"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a", "--json"])
                var visitCount = 0
                var isLooped = false
                // Each visit triggers the next event.
                while !isLooped {
                    let text = try #require(try node.output.line(containing: "\"lane\":"))
                    let line = try JSONText(text)
                    isLooped = line["outcome"].string == "looped"
                    if line["lane"].string == "event", let id = line["id"].string {
                        visitCount += 1
                        node.write(
                            line: #"{"trigger":"X","includingSelf":true,"cause":"\#(id)"}"#)
                        node.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                    }
                }
                #expect(visitCount == 33, "the first event, and 32 caused by others")
                #expect(try trigger.end().exitCode == 0)
                node.write(line: #"{"trigger":"X","cause":"unknown-1","ref":5}"#)
                let problem = try node.output.line(ofLane: "problem")
                #expect(problem["ref"].integer == 5)
                #expect(problem["message"].string?.contains("unknown-1") == true)
            }
        }

        @Test func `a line reports that a request was cancelled, and a later verdict is ignored`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--respond", "X", "--stdio"])
                let first = try bus.start(["request", "X", "--from", "/a"])
                let id = try node.output.line(ofLane: "request")["id"].string ?? ""
                first.kill()
                #expect(try node.output.line(ofLane: "cancel")["id"].string == id)
                // The verdict is no problem, and the next request has its turn.
                node.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                let second = try bus.start(["request", "X", "--from", "/a"])
                try node.answer(#""verdict":"handled","reply":1"#, in: "request")
                #expect(try second.end().output.text == "1\n")
                #expect(!node.output.text.contains(#""lane":"problem""#))
            }
        }

        @Test func `the command of a cancelled request is ended`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--respond", "X", "--", "sleep", "600"])
                let first = try bus.start(["request", "X", "--from", "/a"])
                let id = try node.output.line(ofLane: "request")["id"].string
                first.kill()
                #expect(try node.output.line(ofLane: "cancel")["id"].string == id)
                // The node is free for the next request.
                let second = try bus.start(["request", "X", "--from", "/a"])
                #expect(try node.output.line(ofLane: "request")["id"].string != id)
                second.kill()
                node.signal(2)
                #expect(try node.end().exitCode == 0)
            }
        }

        @Test(arguments: [
            (#"{"trigger":"X","includingSelf":1,"ref":1}"#, "'includingSelf' is not true or false"),
            (#"{"trigger":"X","hold":"long","ref":1}"#, "'hold' is not a duration: write "),
            (#"{"trigger":"X","onLoss":"weep","ref":1}"#, "'onLoss' must be fail or pass"),
            (#"{"trigger":"X","cause":5,"ref":1}"#, "'cause' is not a string"),
            (#"{"report":"no name","ref":1}"#, "the name 'no name' is not valid"),
            (#"{"report":"X","title":5,"ref":1}"#, "'title' is not a string"),
            (#"{"request":null,"ref":1}"#, "a name is not a string"),
            (#"{"publish":"X","retain":"yes","ref":1}"#, "'retain' is not true or false"),
            (#"{"environment":{"K":1},"ref":1}"#, "the line has none of the members"),
            (#"{"prefer":{"K":1},"ref":1}"#, "the preference 'K' needs a \"reducer\""),
        ])
        func `a line with an invalid member is a problem that names it, with the line's ref`(
            line: String, words: String
        ) throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--stdio"])
                node.write(line: line)
                let problem = try node.output.line(ofLane: "problem")
                #expect(problem["ref"].integer == 1)
                #expect(problem["message"].string?.contains(words) == true, "\(problem)")
            }
        }

        @Test func `a later subscriber gets a retained publication, marked as retained`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--stdio"])
                node.write(line: #"{"publish":"Price","payload":5,"retain":true,"ref":1}"#)
                #expect(
                    try node.output.line(ofLane: "outcome")["outcome"].string == "noSubscriber")
                let late = try bus.attach("/a/b", ["--subscribe", "Price"])
                let line = try late.output.line(ofLane: "publication")
                #expect(line["payload"].integer == 5 && line["retained"].bool == true)
                try bus.run(["publish", "Price", "6", "--at", "/a", "--retain"]).expectSuccess()
                let now = try late.output.line(ofLane: "publication")
                #expect(now["payload"].integer == 6 && now["retained"].isMissing)
                let cleared = try bus.run(["publish", "--clear", "Price", "--at", "/a", "--json"])
                #expect(try cleared.document()["name"].string == "Price")
                #expect(try bus.run(["publish", "--clear", "Price", "--at", "/a"]).exitCode == 4)
            }
        }
    }
}

extension SpawnedProgram {
    /// Answers the next visit of a lane by a line.
    @FaultThread
    fileprivate func answer(_ verdict: String, in lane: String = "event") throws {
        let id = try output.line(ofLane: lane)["id"].string ?? ""
        write(line: #"{"id":"\#(id)",\#(verdict)}"#)
    }
}
