// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineTopologyTests {
        @Test func `a node is moved with its subtree and told its path; a cycle is refused`() throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/a/b", ["--handle", "X", "--stdio"])
                let below = try bus.attach("/a/b/c", ["--stdio"])
                let top = try bus.attach("/z", ["--handle", "Y"])
                let moved = try bus.run(["move", "/a/b", "/z", "--json"])
                #expect(moved.exitCode == 0, "\(moved.diagnostics.text)")
                let document = try moved.document()
                #expect(document["schema"].string == "cascade/v1/topology")
                #expect(document["to"].string == "/z/b")
                #expect(document["nodes"].strings == ["/a/b", "/a/b/c"])
                #expect(try node.output.line(ofLane: "moved")["path"].string == "/z/b")
                #expect(try below.output.line(ofLane: "moved")["path"].string == "/z/b/c")
                // The node triggers events from its new path.
                node.write(line: #"{"trigger":"Y","ref":1}"#)
                #expect(try node.output.line(ofLane: "outcome")["by"].string == "/z")
                #expect(try top.output.line(ofLane: "event")["origin"].string == "/z/b")
                let cycle = try bus.run(["move", "/z", "/z/b"])
                #expect(cycle.exitCode == 64)
                #expect(try bus.run(["move", "/nowhere", "/z"]).exitCode == 4)
                try bus.run(["tree", "/z/b/c"]).expectSuccess()
            }
        }

        @Test func `a drained node finishes its events and is told the reason`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--delay", "300ms"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a"])
                _ = try node.output.line(ofLane: "event")
                let drained = try bus.run(["drain", "/a", "--json"])
                #expect(try drained.document()["change"].string == "drained")
                #expect(try trigger.end().exitCode == 0)
                #expect(try node.output.line(ofLane: "detached")["reason"].string == "drained")
                #expect(try node.end().exitCode == 1)
                #expect(try bus.run(["tree", "/a"]).exitCode == 4)
                #expect(try bus.run(["drain", "/a"]).exitCode == 4)
            }
        }

        @Test func `a subtree is detached or drained only with --yes where there is no terminal`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X"])
                let below = try bus.attach("/a/b", ["--handle", "X"])
                for verb in ["detach", "drain"] {
                    let asked = try bus.run([verb, "/a", "--subtree"])
                    #expect(asked.exitCode == 64)
                    #expect(asked.diagnostics.text.contains("--yes"))
                }
                #expect(try bus.tree("/a").nodes.count == 2)
                let detached = try bus.run(["detach", "/a", "--subtree", "--yes"])
                #expect(detached.exitCode == 0)
                #expect(detached.output.text == "/a is detached, and 1 below it\n")
                for program in [node, below] {
                    let line = try program.output.line(ofLane: "detached")
                    #expect(line["reason"].string == "detached")
                    #expect(try program.end().exitCode == 1)
                }
            }
        }

        @Test func `presented nodes and orphans of policy detach are detached with their parent`()
            throws
        {
            try FaultBus.open(["--grace", "100ms"]) { bus in
                let parent = try bus.attach("/a", ["--handle", "X", "--policy", "detach"])
                let sheet = try bus.attach("/a/sheet", ["--relation", "presented"])
                let child = try bus.attach("/a/child", [])
                let tree = try bus.run(["tree", "/a", "--json"]).document()
                #expect(
                    tree["nodes"].elements.map { $0["relation"].string } == [
                        "contained", "presented", "contained",
                    ])
                let status = try bus.run(["status", "/a", "--json"]).document()["node"]
                #expect(status["orphans"].string == "detach" && status["safety"].isMissing)
                parent.kill()
                for program in [sheet, child] {
                    let line = try program.output.line(ofLane: "detached")
                    #expect(line["reason"].string == "parentGone")
                }
            }
        }

        @Test func `strict safety rejects undeclared events, and a check finds them`() throws {
            try FaultBus.open(["--settle", "10ms"]) { bus in
                let clean = try bus.run(["check", "--json"])
                #expect(clean.exitCode == 0)
                #expect(try clean.document()["findings"].strings == [])
                #expect(try bus.run(["check"]).output.text == "no findings\n")
                let nagios = try bus.run(["check", "--format", "nagios"])
                #expect(nagios.exitCode == 0 && nagios.output.text.hasPrefix("OK - "))
                let node = try bus.attach(
                    "/a",
                    [
                        "--handle", "Other", "--triggers", "Declared", "--reports", "Jam",
                        "--safety", "strict",
                    ])
                let rejected = try bus.run(["trigger", "Other", "--from", "/a", "--json"])
                #expect(rejected.exitCode == 13)
                #expect(try rejected.document()["outcome"].string == "rejected")
                let status = try bus.run(["status", "/a", "--json"]).document()["node"]
                #expect(status["safety"].string == "strict" && status["orphans"].isMissing)
                let card = try bus.run(["status", "/a"]).output.text
                #expect(card.split(separator: "\n").contains { $0.contains("safety") })
                let shown = try bus.run(["tree", "/a", "--json"]).document()["nodes"][0]
                #expect(shown["triggers"].strings == ["Declared"])
                #expect(shown["reports"].strings == ["Jam"])
                try Patience.until("it has settled") { try bus.run(["check"]).exitCode == 3 }
                let findings = try bus.run(["check", "--format", "json"]).document()["findings"]
                let names = findings.elements.filter { $0["path"].string == "/a" }
                    .map { $0["name"].string }
                #expect(names.contains("Declared") && names.contains("Jam"))
                #expect(findings.elements.allSatisfy { $0["message"].string?.isEmpty == false })
                let warning = try bus.run(["check", "--format", "nagios"])
                #expect(warning.exitCode == 3 && warning.output.text.hasPrefix("WARNING - "))
                #expect(warning.output.text.split(separator: "\n").count == 1)
                for finding in findings.elements {
                    let words = ["kind", "name", "path"].map { finding[$0].string ?? "" }
                    #expect(
                        warning.output.text.contains("\(words[0]) \(words[1]) at \(words[2]): "))
                }
                withExtendedLifetime(node) {}
            }
        }

        @Test func `with --no-explicit-responders an untyped responder suffices for a check`()
            throws
        {
            try FaultBus.open(["--settle", "10ms"]) { bus in
                let above = try bus.attach("/a", ["--receive", "*"])
                let node = try bus.attach(
                    "/a/b", ["--triggers", "X", "--safety", "relaxed"])
                try Patience.until("it has settled") { try bus.run(["check"]).exitCode == 3 }
                node.kill()
                try bus.wait("/a/b", "vacant")
                let other = try bus.attach(
                    "/a/b", ["--triggers", "X", "--no-explicit-responders"])
                try Patience.until("it is clean") { try bus.run(["check"]).exitCode == 0 }
                withExtendedLifetime((above, other)) {}
            }
        }
    }
}
