// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Foundation
import FoundationXML
import Glibc
import Testing

extension CommandLineContract {
    /// Inspection of routes, traces, undelivered messages and monitor events.
    @FaultThread
    @Suite struct CommandLineLookingTests {
        @Test func `a route lists the responders of an event in order without sending it`() throws {
            try FaultBus.open { bus in
                let top = try bus.attach("/a", ["--handle", "Job", "--handle-error", "Job"])
                let node = try bus.attach(
                    "/a/b", ["--receive", "Job", "--when", "pages > 10", "--observe", "*"])
                let small = try bus.run(["route", "Job", "{}", "--from", "/a/b", "--json"])
                #expect(small.exitCode == 0)
                let document = try small.document()
                #expect(document["schema"].string == "cascade/v1/route")
                let asked = document["responders"].elements.filter { $0["asked"].bool == true }
                #expect(asked.map { $0["path"].string } == ["/a/b", "/a"])
                #expect(asked.map { $0["kind"].string } == ["observe", "handle"])
                let skipped = document["responders"].elements.filter { $0["asked"].bool == false }
                #expect(skipped.first?["why"].string?.isEmpty == false)
                let large = try bus.run(
                    ["route", "Job", #"{"pages":11}"#, "--from", "/a/b"])
                #expect(large.output.text.contains("receive Job"))
                let error = try bus.run(
                    ["route", "Job", "--from", "/a/b", "--lane", "error", "--json"]
                ).document()
                let answering = error["responders"].elements.first { $0["asked"].bool == true }
                #expect(answering?["kind"].string == "handleError")
                #expect(try bus.run(["route", "Unwanted", "--from", "/witness"]).exitCode == 3)
                #expect(try bus.run(["route", "X", "--from", "/nowhere"]).exitCode == 4)
                #expect(try bus.counters()["triggered"] == 0)
                withExtendedLifetime((top, node)) {}
            }
        }

        @Test func `a trace shows an event while it is under way and after its outcome`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--observe", "X", "--receive", "X", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a", "--json"])
                let first = try node.output.line(ofLane: "event")["id"].string ?? ""
                node.write(line: #"{"id":"\#(first)","verdict":"notHandled"}"#)
                _ = try node.output.line(ofLane: "event")
                let under = try bus.run(["trace", first, "--json"]).document()
                #expect(under["schema"].string == "cascade/v1/outcome")
                #expect(under["outcome"].isMissing && under["name"].string == "X")
                node.write(line: #"{"id":"\#(first)","verdict":"handled"}"#)
                #expect(try trigger.end().exitCode == 0)
                let after = try bus.run(["trace", first, "--json"]).document()
                #expect(after["outcome"].string == "handled" && after["by"].string == "/a")
                #expect(
                    after["trail"].elements.map { $0["kind"].string } == ["observe", "receive"])
                let text = try bus.run(["trace", first]).output.text
                #expect(text.hasPrefix("X is handled by /a\n"))
                #expect(text.contains("receive X") && text.contains("waited "))
                let absent = String(repeating: "0", count: 32) + "-1"
                #expect(try bus.run(["trace", absent]).exitCode == 4)
                #expect(try bus.run(["trace", "nonsense"]).exitCode == 64)
            }
        }

        @Test func `events under way are listed with the node that has them`() throws {
            try FaultBus.open { bus in
                #expect(try bus.run(["under-way"]).output.text == "no messages under way\n")
                let watch = try bus.start(["under-way", "--watch", "--json"])
                #expect(try watch.output.line(containing: #""count":0"#) != nil)
                let node = try bus.attach("/a", ["--receive", "X", "--stdio"])
                let trigger = try bus.start(["trigger", "X", "--from", "/a"])
                let id = try node.output.line(ofLane: "event")["id"].string ?? ""
                let document = try bus.run(["under-way", "--json"]).document()
                #expect(document["schema"].string == "cascade/v1/underWay")
                #expect(document["count"].integer == 1)
                let entry = document["underWay"][0]
                #expect(entry["id"].string == id && entry["name"].string == "X")
                #expect(entry["origin"].string == "/a" && entry["by"].string == "/a")
                #expect(!entry["since"].isMissing && !entry["deadline"].isMissing)
                let text = try bus.run(["under-way"]).output.text
                #expect(text.hasPrefix("ID ") && text.contains(id) && text.contains("LEFT"))
                #expect(try watch.output.line(containing: id) != nil)
                _ = try bus.run(["trigger", "Later", "--hold", "1h", "--no-wait"])
                let held = try bus.run(["under-way"]).output.text
                #expect(held.hasSuffix("\n1 more, held ones included: see 'undelivered'\n"))
                node.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                #expect(try trigger.end().exitCode == 0)
                #expect(try watch.output.line(containing: #""count":1,"underWay":[]"#) != nil)
                let rest = try bus.run(["under-way"]).output.text
                #expect(rest.hasPrefix("no messages to list; 1 more, held ones included"))
            }
        }

        @Test func `the status of a vacant place names the held messages that keep it`() throws {
            try FaultBus.open { bus in
                let till = try bus.attach("/till", ["--subscribe", "Nothing"])
                for _ in 0..<2 {
                    _ = try bus.run(
                        ["trigger", "Later", "--from", "/till", "--hold", "1h", "--no-wait"])
                }
                till.signal(SIGTERM)
                #expect(try till.end().exitCode == 0)
                let text = try bus.run(["status", "/till"]).output.text
                let row = text.split(separator: "\n").first { $0.contains("kept for") }
                #expect(row?.contains("2 held messages from here, until ") == true, "\(text)")
                let directory = try TemporaryDirectory()
                let dump = try directory.write("bus.json", bus.run(["dump"]).output.bytes)
                let dumped = try bus.run(["status", "/till", "--dump", dump]).output.text
                #expect(dumped.contains("2 held messages from here, until "), "\(dumped)")
                let drawer = try bus.attach("/till/drawer", ["--receive", "X"])
                let other = try bus.run(["status", "/till"]).output.text
                #expect(!other.contains("held messages"), "\(other)")
                withExtendedLifetime(drawer) {}
            }
        }

        @Test func `undelivered events are listed, shown, retried and cleared`() throws {
            try FaultBus.open { bus in
                let lost = try bus.run(["trigger", "Lost", #"{"n":1}"#, "--json"])
                #expect(lost.exitCode == 3)
                let id = try lost.document()["id"].string ?? ""
                let list = try bus.run(["undelivered", "--json"]).document()
                #expect(list["schema"].string == "cascade/v1/undelivered")
                let entry = list["undelivered"][0]
                #expect(entry["id"].string == id && entry["name"].string == "Lost")
                #expect(entry["lane"].string == "event" && entry["origin"].string == "/")
                #expect(try bus.run(["undelivered", "list"]).output.text.contains("Lost"))
                let shown = try bus.run(["undelivered", "show", id])
                #expect(shown.output.text.contains(id) && shown.output.text.contains(#"{"n":1}"#))
                let absent = String(repeating: "0", count: 32) + "-1"
                #expect(try bus.run(["undelivered", "show", absent]).exitCode == 4)
                #expect(try bus.run(["undelivered", "retry", absent]).exitCode == 4)
                let again = try bus.run(["undelivered", "retry", id, "--json"])
                #expect(again.exitCode == 3)
                #expect(try again.document()["outcome"].string == "unhandled")
                #expect(try again.document()["id"].string == id)
                #expect(try bus.run(["undelivered", "show", id]).exitCode == 0)
                let cleared = try bus.run(["undelivered", "clear", "--json"])
                #expect(try cleared.document()["undelivered"].strings == [])
                #expect(
                    try bus.run(["undelivered"]).output.text == "no undelivered messages\n")
            }
        }

        @Test func `a retried event has its payload and attributes, and is handled by its route`()
            throws
        {
            try FaultBus.open { bus in
                let early = try bus.attach("/a", ["--handle", "Other"])
                let lost = try bus.run(
                    ["trigger", "Late", "[7]", "--from", "/a", "--attribute", "k=v", "--json"])
                let id = try lost.document()["id"].string ?? ""
                let shown = try bus.run(["undelivered", "show", id])
                #expect(shown.output.text.contains(#"attributes  {"k":"v"}"#))
                early.kill()
                try bus.wait("/a", "vacant")
                let late = try bus.attach("/a", ["--handle", "Late"])
                let again = try bus.run(["undelivered", "retry", id, "--json"])
                #expect(again.exitCode == 0)
                #expect(try again.document()["by"].string == "/a")
                #expect(try again.document()["id"].string == id)
                let trace = try bus.run(["trace", id, "--json"]).document()
                #expect(trace["outcome"].string == "handled")
                let line = try late.output.line(ofLane: "event")
                #expect(line["payload"][0].integer == 7)
                #expect(line["attributes"]["k"].string == "v")
            }
        }

        @Test func `a monitor prints the events that match its filters`() throws {
            try FaultBus.open { bus in
                let all = try bus.start(["monitor", "--json"])
                let some = try bus.start(
                    ["monitor", "--json", "--kind", "event,error", "--name", "J*"])
                let text = try bus.start(["monitor", "--path", "/a*"])
                // A monitor may not have begun until it has printed something.
                for program in [all, text] {
                    try Patience.until("the monitor has begun") {
                        try bus.run(["activate", "/witness"]).expectSuccess()
                        try bus.attach("/a", []).kill()
                        return try !program.output.isSilent()
                    }
                }
                try Patience.until("the monitor has begun") {
                    _ = try bus.run(["trigger", "Jog"])
                    return try !some.output.isSilent()
                }
                _ = try bus.run(["trigger", "Other"])
                _ = try bus.run(["report", "Jam", "--message", "m"])
                let event = try JSONText(#require(try all.output.line(containing: "\"Jam\"")))
                #expect(event["schema"].string == "cascade/v1/monitor")
                #expect(event["kind"].string == "error" && event["path"].string == "/")
                #expect(event["when"].string?.hasSuffix("Z") == true)
                #expect(try some.output.line(containing: "\"Jam\"") != nil)
                #expect(!some.output.text.contains("Other"))
                #expect(try text.output.line(containing: "/a") != nil)
                #expect(!text.output.text.contains("/witness"))
                let since = try bus.start(["monitor", "--since", "10m", "--name", "Jam"])
                #expect(try since.output.line(containing: "Jam") != nil)
                all.signal(SIGINT)
                #expect(try all.end().exitCode == 130)
            }
        }

        @Test func `a monitor has trails, and counts what exceeds its rate`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X"])
                let trails = try bus.start(["monitor", "--json", "--kind", "event", "--trails"])
                try Patience.until("the monitor has begun") {
                    _ = try bus.run(["trigger", "X", "--from", "/a"])
                    return try !trails.output.isSilent()
                }
                let event = try JSONText(#require(try trails.output.line(containing: "\"X\"")))
                #expect(event["what"].string == "ended" && !event["begun"].isMissing)
                #expect(event["trail"].elements.map { $0["path"].string } == ["/a"])
                #expect(!trails.output.text.contains("triggered"))
                // One a second has no room for all.
                let some = try bus.start(["monitor", "--json", "--per-second", "1"])
                try Patience.until("messages are left out") {
                    _ = try bus.run(["trigger", "X", "--from", "/a"])
                    try some.output.readWhatIsThere()
                    return some.output.text.contains("sampled")
                }
                let line = try #require(try some.output.anyLine(containing: "sampled"))
                let sampled = try JSONText(line)
                #expect(try #require(sampled["count"].integer) > 0)
                #expect(!sampled["leftOut"].members.isEmpty)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `the busiest node comes first in top, with its memory`() throws {
            try FaultBus.open { bus in
                let busy = try bus.attach("/busy", ["--handle", "X"])
                for _ in 0..<3 {
                    try bus.run(["trigger", "X", "--from", "/busy"]).expectSuccess()
                }
                let top = try bus.run(["top", "--json"]).document()
                #expect(top["schema"].string == "cascade/v1/top")
                let first = top["nodes"][0]
                #expect(first["path"].string == "/busy" && first["visits"].integer == 3)
                #expect(first["pid"].integer == Int(busy.processID))
                #expect(try #require(first["residentBytes"].integer) > 1_000_000)
                #expect(first["queue"].integer == 0)
                #expect(try bus.run(["top"]).output.text.contains("MiB"))
                let live = try bus.start(["top", "--watch", "--json"])
                #expect(try live.output.line(containing: "/busy") != nil)
                #expect(try live.output.line(containing: "/busy") != nil)
            }
        }

        @Test func `the tree is drawn as DOT, Mermaid and SVG`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop/floor", ["--handle", "Order"])
                let sheet = try bus.attach("/shop/floor/sheet", ["--relation", "presented"])
                let dot = try bus.run(["graph"]).output.text
                #expect(dot.hasPrefix("digraph cascade {") && dot.contains("[label=\"floor"))
                #expect(dot.contains("dashed"))
                let mermaid = try bus.run(["graph", "--format", "mermaid"]).output.text
                #expect(mermaid.hasPrefix("flowchart TD\n") && mermaid.contains("-.-"))
                let svg = try bus.run(["graph", "/shop", "--format", "svg", "--traffic"])
                let parser = XMLParser(data: Data(svg.output.bytes))
                #expect(parser.parse() && svg.output.text.contains("0 visits"))
                let boxes = svg.output.text.split(separator: "\n").filter { $0.contains("<rect") }
                #expect(boxes.count == 3)
                let json = try bus.run(["graph", "--json"]).document()
                #expect(json["graph"].string?.hasPrefix("digraph") == true)
                #expect(try bus.run(["graph", "/nowhere"]).exitCode == 4)
                withExtendedLifetime((node, sheet)) {}
            }
        }
    }
}

extension OutputPipe {
    /// Whether nothing has been printed so far.
    fileprivate func isSilent() throws -> Bool {
        try readWhatIsThere()
        return bytes.isEmpty
    }
}
