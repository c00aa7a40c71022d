// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension CommandLineContract {
    /// Nodes of `attach` that set, offer and watch.
    @FaultThread
    @Suite struct CommandLineEnvironmentNodeTests {
        @Test
        func `a node's value is read by its descendants, and by the node only with --env-self`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop",
                    ["--env", "a=1", "--env-self", "b=2", "--watch-env", "a", "--watch-env", "b"])
                let line = try node.output.line(ofLane: "env")
                #expect(line["key"].string == "b" && line["value"].integer == 2)
                #expect(line["old"].isMissing)
                #expect(try bus.run(["env", "get", "a", "--at", "/shop"]).exitCode == 4)
                let below = try bus.attach("/shop/floor", ["--handle", "X"])
                for (key, value) in [("a", "1\n"), ("b", "2\n")] {
                    let read = try bus.run(["env", "get", key, "--at", "/shop/floor"])
                    #expect(read.output.text == value)
                }
                node.kill()
                #expect(try node.end().exitCode == nil)
                try bus.wait("/shop", "vacant")
                #expect(try bus.run(["env", "get", "a", "--at", "/shop/floor"]).exitCode == 4)
                withExtendedLifetime(below) {}
            }
        }

        @Test
        func `a watching node gets the current value before its first event, then each change`()
            throws
        {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "n=0", "--at", "/shop"])
                let node = try bus.attach(
                    "/shop", ["--watch-env", "n", "--watch-env", "none", "--handle", "X"])
                let first = try node.output.line(ofLane: "env")
                #expect(first["key"].string == "n" && first["value"].integer == 0)
                for number in 1...5 {
                    _ = try bus.run(["env", "set", "n=\(number)", "--at", "/shop"])
                    #expect(try bus.trigger("X", ["--from", "/shop"]).outcome == "handled")
                }
                let lines = try (1...10).map { _ in
                    try JSONText(try #require(try node.output.line(containing: "\"lane\"")))
                }
                #expect(
                    lines.map { $0["lane"].string }
                        == Array(repeating: ["env", "event"], count: 5).flatMap { $0 })
                let changes = lines.filter { $0["lane"].string == "env" }
                #expect(changes.map { $0["value"].integer } == [1, 2, 3, 4, 5])
                #expect(changes.map { $0["old"].integer } == [0, 1, 2, 3, 4])
                _ = try bus.run(["env", "unset", "n", "--at", "/shop"])
                let gone = try node.output.line(ofLane: "env")
                #expect(gone["value"].isMissing && gone["old"].integer == 5)
            }
        }

        @Test func `a line sets and unsets several values, which only descendants read`() throws {
            try FaultBus.open { bus in
                let below = try bus.attach(
                    "/shop/floor/lamp", ["--watch-env", "a", "--watch-env", "b"])
                let floor = try bus.attach("/shop", ["--handle", "X", "--watch-env", "a"])
                let node = try bus.attach("/shop/floor", ["--env", "a=0", "--stdio"])
                #expect(try below.output.line(ofLane: "env")["value"].integer == 0)
                node.write(line: #"{"env":{"a":null,"b":[1, 2]},"ref":"first"}"#)
                #expect(try node.output.line(ofLane: "done")["ref"].string == "first")
                let a = try #require(try below.output.line(containing: #""key":"a""#))
                #expect(a.contains(#""value":null,"old":0"#))
                let b = try below.output.line(ofLane: "env")
                #expect(b["key"].string == "b" && b["value"].elements.count == 2)
                node.write(line: #"{"env":{"b":3},"unset":["a"]}"#)
                node.write(line: #"{"trigger":"X","ref":2}"#)
                #expect(try node.output.line(ofLane: "outcome")["by"].string == "/shop")
                let list = try bus.run(["env", "get", "b", "--at", "/shop/floor/lamp"])
                #expect(list.output.text == "3\n")
                let a2 = try #require(try below.output.line(containing: #""key":"a""#))
                #expect(!a2.contains("value") && a2.contains(#""old":null"#))
                #expect(!floor.output.text.contains(#""lane":"env""#))
                node.closeInput()
                #expect(try node.end().exitCode == 0)
                let gone = try #require(try below.output.line(containing: #""key":"b""#))
                #expect(try JSONText(gone).members.contains("old"))
            }
        }

        @Test func `a sticky value remains when its node leaves`() throws {
            try FaultBus.open(["--grace", "100ms"]) { bus in
                let node = try bus.attach("/shop", ["--stdio"])
                node.write(line: #"{"env":{"a":1},"sticky":true,"self":true}"#)
                node.write(line: #"{"env":{"b":1},"ref":0}"#)
                _ = try node.output.line(ofLane: "done")
                #expect(try bus.run(["env", "get", "a", "--at", "/shop"]).output.text == "1\n")
                node.closeInput()
                #expect(try node.end().exitCode == 0)
                let below = try bus.attach("/shop/floor", ["--watch-env", "a", "--watch-env", "b"])
                let line = try below.output.line(ofLane: "env")
                #expect(line["key"].string == "a" && line["value"].integer == 1)
                #expect(try bus.run(["env", "get", "b", "--at", "/shop/floor"]).exitCode == 4)
            }
        }

        @Test func `a watching node gets preferences reduced over its subtree`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach(
                    "/shop", ["--watch-preference", "orders", "--watch-preference", "healthy"])
                let left = try bus.attach(
                    "/shop/left", ["--prefer", "orders=2:sum", "--prefer", "healthy=true:all"])
                #expect(try top.output.line(ofLane: "preference")["value"].integer == 2)
                #expect(try top.output.line(ofLane: "preference")["value"].bool == true)
                let right = try bus.attach("/shop/right", ["--prefer", "orders=3:sum", "--stdio"])
                let sum = try top.output.line(ofLane: "preference")
                #expect(sum["value"].integer == 5 && sum["old"].integer == 2)
                right.write(line: #"{"prefer":{"orders":10}}"#)
                #expect(try top.output.line(ofLane: "preference")["value"].integer == 12)
                right.write(line: #"{"prefer":{"healthy":false},"reducer":"all"}"#)
                #expect(try top.output.line(ofLane: "preference")["value"].bool == false)
                let document = try bus.run(["preferences", "/shop", "--json"]).document()
                #expect(document["schema"].string == "cascade/v1/preferences")
                #expect(document["path"].string == "/shop")
                #expect(document["preferences"]["orders"].integer == 12)
                #expect(try bus.run(["preferences"]).output.text.contains("orders"))
                right.write(line: #"{"withdraw":["healthy"]}"#)
                #expect(try top.output.line(ofLane: "preference")["value"].bool == true)
                left.kill()
                #expect(try left.end().exitCode == nil)
                let after = try #require(try top.output.line(containing: #""old":12"#))
                #expect(try JSONText(after)["value"].integer == 10)
            }
        }

        @Test(arguments: [
            (#"{"env":1,"ref":7}"#, "'env' is not an object"),
            (#"{"env":{"a b":1},"ref":7}"#, "the name 'a b' is not valid"),
            (#"{"unset":"a","ref":7}"#, "'unset' is not an array of keys"),
            (#"{"unset":[1],"ref":7}"#, "a name is not a string"),
            (#"{"prefer":{"new":1},"ref":7}"#, "the preference 'new' needs a \"reducer\""),
            (
                #"{"prefer":{"k":1},"reducer":"product","ref":7}"#,
                "unknown reducer 'product'; the reducers are sum, min, "
            ),
            (#"{"withdraw":["never"],"ref":7}"#, "the node offers no preference 'never'"),
            (#"{"env":{"a":1},"self":"yes","ref":7}"#, "'self' is not true or false"),
            (#"{"env":{"node.path":1},"ref":7}"#, "'node.path' is a built-in key"),
            (
                #"{"prefer":{"known":1},"reducer":"max","ref":7}"#,
                "the preference 'known' is reduced by sum, as '/other' declared first, and not by max"
            ),
            (
                #"{"prefer":{"text":"x"},"reducer":"sum","ref":7}"#,
                "the preference 'text' is reduced by sum, which takes numbers"
            ),
        ])
        func `a malformed or refused line is answered by a problem, and later lines work`(
            line: String, words: String
        ) throws {
            try FaultBus.open { bus in
                let other = try bus.attach("/other", ["--prefer", "known=1:sum"])
                let node = try bus.attach("/shop", ["--stdio"])
                node.write(line: line)
                let problem = try node.output.line(ofLane: "problem")
                #expect(problem["ref"].integer == 7)
                #expect(problem["message"].string?.contains(words) == true, "\(problem)")
                node.write(line: #"{"env":{"a":1},"self":true,"ref":8}"#)
                #expect(try node.output.line(ofLane: "done")["ref"].integer == 8)
                #expect(try bus.run(["env", "get", "a", "--at", "/shop"]).output.text == "1\n")
                withExtendedLifetime(other) {}
            }
        }

        @Test func `values set by lines are set again after a restart and reported if changed`()
            throws
        {
            try FaultBus.open { bus in
                let below = try bus.attach(
                    "/shop/lamp", ["--watch-env", "a", "--watch-env", "b"])
                let node = try bus.attach("/shop", ["--env", "a=1", "--stdio"])
                #expect(try below.output.line(ofLane: "env")["value"].integer == 1)
                node.write(line: #"{"env":{"a":2,"b":2},"ref":1}"#)
                _ = try node.output.line(ofLane: "done")
                #expect(try below.output.line(ofLane: "env")["value"].integer == 2)
                #expect(try below.output.line(ofLane: "env")["key"].string == "b")
                try bus.killDaemon()
                try bus.startDaemon()
                try bus.wait("/shop", "live")
                try bus.wait("/shop/lamp", "live")
                let a = try bus.run(["env", "get", "a", "--at", "/shop/lamp"])
                #expect(a.output.text == "2\n", "\(a.diagnostics.text)")
                node.write(line: #"{"env":{"b":3}}"#)
                let line = try #require(try below.output.line(containing: #""key":"b","value":3"#))
                #expect(try JSONText(line)["old"].integer == 2)
            }
        }

        @Test func `a node with another reducer or a malformed rule is refused`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--prefer", "k=1:sum"])
                let other = try bus.run(["attach", "/b", "--prefer", "k=1:max"])
                #expect(other.exitCode == 64)
                #expect(other.diagnostics.text.contains("sum"))
                #expect(other.diagnostics.text.contains("max"))
                let rule = try bus.run(["attach", "/b", "--rule", "a => => b"])
                #expect(rule.exitCode == 78, "\(rule.diagnostics.text)")
                withExtendedLifetime(node) {}
            }
        }
    }
}
