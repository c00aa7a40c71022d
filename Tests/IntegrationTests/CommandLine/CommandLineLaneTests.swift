// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension CommandLineContract {
    /// Errors, requests and cascades of scripts.
    @FaultThread
    @Suite struct CommandLineLaneTests {
        @Test func `a reported error visits error responders only, with its message and title`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a",
                    [
                        "--handle", "*", "--receive-error", "Jam", "--transform-error", "Jam=Halt",
                        "--handle-error", "Halt",
                    ])
                let ending = try bus.run(
                    [
                        "report", "Jam", "--title", "Printer", "--message", "no paper", "--from",
                        "/a", "--json",
                    ])
                #expect(ending.exitCode == 0)
                let outcome = try ending.document()
                #expect(outcome["outcome"].string == "handled" && outcome["by"].string == "/a")
                let trail = outcome["trail"].elements
                #expect(
                    trail.map { $0["kind"].string } == [
                        "receiveError", "transformError", "handleError",
                    ])
                #expect(trail[0]["message"].string == "no paper")
                #expect(trail[0]["title"].string == "Printer")
                let line = try node.output.line(ofLane: "error")
                #expect(line["name"].string == "Jam" && line["title"].string == "Printer")
                #expect(line["message"].string == "no paper" && line["node"].string == "/a")
                #expect(try node.output.line(ofLane: "error")["kind"].string == "transformError")
                let last = try node.output.line(ofLane: "error")
                #expect(last["name"].string == "Halt" && last["message"].string == "no paper")
                let unhandled = try bus.run(["report", "Fire", "--from", "/a", "--json"])
                #expect(unhandled.exitCode == 10)
                #expect(try unhandled.document()["error"]["name"].string == "Fire")
            }
        }

        @Test func `an error caught above a responder that threw ends as caught, with its cause`()
            throws
        {
            try FaultBus.open { bus in
                let top = try bus.attach("/a", ["--catch", "Fire=Alarm", "--handle", "Alarm"])
                let middle = try bus.attach("/a/b", ["--handle-error", "Jam", "--throw", "Fire"])
                let node = try bus.attach("/a/b/c", ["--handle", "Print", "--throw", "Jam"])
                let ending = try bus.run(["trigger", "Print", "--from", "/a/b/c", "--json"])
                #expect(ending.exitCode == 11)
                let outcome = try ending.document()
                #expect(outcome["outcome"].string == "caught" && outcome["by"].string == "/a")
                #expect(outcome["error"]["name"].string == "Fire")
                #expect(outcome["error"]["node"].string == "/a/b")
                #expect(outcome["error"]["cause"]["name"].string == "Jam")
                #expect(outcome["error"]["cause"]["node"].string == "/a/b/c")
                let error = try top.output.line(ofLane: "error")
                #expect(error["kind"].string == "catch" && error["cause"]["name"].string == "Jam")
                #expect(try top.output.line(ofLane: "event")["name"].string == "Alarm")
                let text = try bus.run(["trigger", "Print", "--from", "/a/b/c"]).output.text
                #expect(text.hasPrefix("caught by /a (responder 1, handle Alarm) in "))
                #expect(text.contains("  because of Jam at /a/b/c\n"))
                withExtendedLifetime((middle, node)) {}
            }
        }

        @Test func `a request prints its reply, or with --json the outcome`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a", ["--respond", "Echo", "--respond", "Fixed", "--reply", #"{"n":1.50}"#])
                let echo = try bus.run(["request", "Echo", "[1, 2]", "--from", "/a"])
                #expect(echo.exitCode == 0 && echo.output.text == "[1,2]\n")
                let fixed = try bus.run(["request", "Fixed", "--from", "/a", "--json"])
                let outcome = try fixed.document()
                #expect(outcome["outcome"].string == "handled" && outcome["by"].string == "/a")
                #expect(fixed.output.text.contains(#""reply":{"n":1.50}"#))
                #expect(outcome["trail"][0]["verdict"].string == "answered")
                let raw = try bus.run([
                    "request", "Echo", "é", "--raw", "text/plain", "--from", "/a",
                ])
                #expect(raw.output.text == "é")
                let shown = try bus.run(
                    ["request", "Echo", "é", "--raw", "text/plain", "--from", "/a", "--json"])
                #expect(try shown.document()["replyBase64"].string == "w6k=")
                let empty = try bus.run(["request", "Echo", "--from", "/a"])
                #expect(empty.exitCode == 0 && empty.output.bytes.isEmpty)
                let unanswered = try bus.run(["request", "Unwanted", "--from", "/a"])
                #expect(unanswered.exitCode == 3 && unanswered.output.bytes.isEmpty)
                #expect(unanswered.diagnostics.text.contains("unhandled"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a request fails with its responder's error although an error handler is above`()
            throws
        {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle-error", "*"])
                let node = try bus.attach("/a/b", ["--respond", "Sum", "--throw", "tooMuch"])
                let ending = try bus.run(["request", "Sum", "--from", "/a/b"])
                #expect(ending.exitCode == 10 && ending.output.bytes.isEmpty)
                #expect(ending.diagnostics.text.contains("tooMuch at /a/b"))
                withExtendedLifetime((above, node)) {}
            }
        }

        @Test func `the output of a command is the reply, and its failure fails the request`()
            throws
        {
            try FaultBus.open { bus in
                let script =
                    #"test "$CASCADE_LANE" = request || exit 9; read -r n; "#
                    + #"case $n in 1) exit 1;; 2) echo '{';; 3) ;; *) echo "[$n]";; esac"#
                let node = try bus.attach("/a", ["--respond", "X", "--", "sh", "-c", script])
                let reply = try bus.run(["request", "X", "7", "--from", "/a"])
                #expect(reply.exitCode == 0 && reply.output.text == "[7]\n")
                #expect(try bus.run(["request", "X", "1", "--from", "/a"]).exitCode == 3)
                let broken = try bus.run(["request", "X", "2", "--from", "/a"])
                #expect(broken.exitCode == 10)
                #expect(broken.diagnostics.text.contains("commandFailed at /a"))
                let empty = try bus.run(["request", "X", "3", "--from", "/a"])
                #expect(empty.exitCode == 0 && empty.output.bytes.isEmpty)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a cascade runs at every ancestor, and succeeds without responders`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/a", ["--receive", "Save"])
                let middle = try bus.attach("/a/b", ["--handle", "Save", "--throw", "full"])
                let node = try bus.attach("/a/b/c", ["--observe", "Save", "--handle", "*"])
                let ending = try bus.run(["cascade", "Save", "--from", "/a/b/c", "--json"])
                #expect(ending.exitCode == 0)
                let outcome = try ending.document()
                #expect(outcome["outcome"].string == "cascaded")
                #expect(outcome["paths"].strings == ["/a/b/c", "/a"])
                #expect(outcome["trail"].elements.count == 4)
                #expect(try top.output.line(ofLane: "cascade")["kind"].string == "receive")
                let text = try bus.run(["cascade", "Save", "--from", "/a/b/c"]).output.text
                #expect(text.hasPrefix("run by /a/b/c, /a in "))
                let headline = try #require(text.split(separator: "\n").first)
                #expect(headline.hasSuffix("; failed at /a/b"))
                let none = try bus.run(["cascade", "Unwanted", "--json"])
                #expect(none.exitCode == 0)
                #expect(try none.document()["paths"].strings == [])
                withExtendedLifetime((middle, node)) {}
            }
        }

        @Test
        func `a predicate selects events, and a malformed one is a usage error that quotes it`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a",
                    [
                        "--handle", "Job", "--when", #"pages > 10 && colour == "red""#,
                        "--respond", "Job", "--reply", "true",
                    ])
                let large = [
                    "trigger", "Job", #"{"pages":11}"#, "--attribute", "colour=red", "--from", "/a",
                ]
                try bus.run(large).expectSuccess()
                #expect(try bus.run(["trigger", "Job", "{}", "--from", "/a"]).exitCode == 3)
                let tree = try bus.run(["tree", "/a", "--json"]).document()
                let first = tree["nodes"][0]["responders"][0]
                #expect(first["when"].string == #"pages > 10 && colour == "red""#)
                let bad = try bus.run(["attach", "/b", "--handle", "X", "--when", "pages >"])
                #expect(bad.exitCode == 64 && bad.diagnostics.text.contains("pages >"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a held event reaches a responder that attaches later`() throws {
            try FaultBus.open { bus in
                let early = try bus.attach("/a", ["--subscribe", "Nothing"])
                let held = try bus.start(
                    ["trigger", "Late", "1", "--from", "/a", "--hold", "60s", "--json"])
                try Patience.until("it is held") {
                    try bus.counters()["triggered"] == 1
                }
                early.kill()
                try bus.wait("/a", "vacant")
                let late = try bus.attach("/a", ["--handle", "Late"])
                #expect(try late.output.line(ofLane: "event")["payload"].integer == 1)
                let ending = try held.end()
                #expect(ending.exitCode == 0)
                #expect(try ending.document()["by"].string == "/a")
            }
        }

        @Test func `with --on-loss pass an event of a lost node continues at the next responder`()
            throws
        {
            try FaultBus.open { bus in
                let above = try bus.attach("/a", ["--handle", "X"])
                let node = try bus.attach("/a/b", ["--handle", "X", "--delay", "60s"])
                let trigger = try bus.start(
                    ["trigger", "X", "--from", "/a/b", "--on-loss", "pass", "--json"])
                _ = try node.output.line(ofLane: "event")
                node.kill()
                let outcome = try trigger.end().document()
                #expect(outcome["by"].string == "/a")
                withExtendedLifetime(above) {}
            }
        }

        @Test func `reserved names are refused`() throws {
            try FaultBus.open { bus in
                for verb in ["trigger", "report", "request", "cascade", "publish"] {
                    let ending = try bus.run([verb, "cascade.NodeLost"])
                    #expect(ending.exitCode == 64, "\(verb)")
                    #expect(ending.diagnostics.text.contains("cascade.NodeLost"))
                }
            }
        }
    }
}
