// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineRaisingTests {
        @Test func `each outcome of an event has its document and exit code`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a",
                    [
                        "--receive", "Passed", "--handle", "Jam", "--throw", "jammed", "--handle",
                        "Slow", "--delay", "60s", "--concurrency", "2",
                    ])
                let passed = try bus.run(["trigger", "Passed", "--from", "/a", "--json"])
                #expect(passed.exitCode == 3)
                let document = try passed.document()
                #expect(document["schema"].string == "cascade/v1/outcome")
                #expect(document["outcome"].string == "unhandled" && document["by"].isMissing)
                let visit = document["trail"][0]
                #expect(
                    visit.members == [
                        "path", "responder", "kind", "name", "verdict", "microseconds", "at",
                        "waited",
                    ])
                #expect(visit["verdict"].string == "passed" && visit["kind"].string == "receive")
                let failed = try bus.run(["trigger", "Jam", "--from", "/a", "--json"])
                #expect(failed.exitCode == 10)
                #expect(try failed.document()["error"]["name"].string == "jammed")
                #expect(try failed.document()["error"]["node"].string == "/a")
                let late = try bus.run(
                    ["trigger", "Slow", "--from", "/a", "--deadline", "100ms", "--json"])
                #expect(late.exitCode == 75)
                #expect(try late.document()["outcome"].string == "timedOut")
                #expect(try late.document()["error"]["node"].string == "/a")
                node.kill()
            }
        }

        @Test func `the text of an outcome is a line with the indented trail below it`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--observe", "*", "--handle", "Print"])
                let ending = try bus.run(["trigger", "Print", "--from", "/a"])
                let lines = ending.output.text.split(separator: "\n")
                #expect(lines[0].hasPrefix("handled by /a (responder 1, handle Print) in "))
                #expect(lines[1].hasPrefix("  /a  0  observe Print  passed"))
                #expect(lines[2].hasPrefix("  /a  1  handle Print   handled"))
                #expect(ending.exitCode == 0)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `an observer that fails stops nothing, and the trail names its failure`() throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/a", ["--observe", "Print", "--throw", "smudged", "--handle", "Print"])
                let handled = try bus.run(["trigger", "Print", "--from", "/a", "--json"])
                let trail = try handled.document()["trail"]
                #expect(trail[0]["verdict"].string == "failed")
                #expect(trail[1]["verdict"].string == "handled" && handled.exitCode == 0)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a message that cannot be held names the limit`() throws {
            try FaultBus.open(["--limit", "held=0"]) { bus in
                let ending = try bus.run(["trigger", "Print", "--hold", "1h"])
                #expect(ending.exitCode == 75)
                #expect(ending.output.text.contains("(limit held)"))
            }
        }

        @Test func `a payload from an argument, a file or standard input arrives unchanged`() throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "*"])
                // More digits than a floating-point number has, and members out of order.
                let text = #"{"z":12345678901234567890.10,"a":[true,null,"\u00e9\n"]}"#
                try bus.run(["trigger", "Given", text, "--from", "/a"]).expectSuccess()
                let line = try #require(try node.output.line(containing: "Given"))
                #expect(
                    line.contains(#""payload":{"z":12345678901234567890.10,"a":[true,null,"é\n"]}"#)
                )
                let file = bus.directory + "/payload.json"
                try Data("[1, 2]".utf8).write(to: URL(filePath: file))
                try bus.run(["trigger", "File", "@" + file, "--from", "/a"]).expectSuccess()
                #expect(try node.output.line(containing: #""payload":[1,2]"#) != nil)
                let piped = try bus.start(["trigger", "Piped", "-", "--from", "/a"])
                piped.write(line: #""from a pipe""#)
                piped.closeInput()
                try piped.end().expectSuccess()
                #expect(try node.output.line(containing: #""payload":"from a pipe""#) != nil)
                try bus.run(["trigger", "Dash", "--from", "/a", "--", "-5"]).expectSuccess()
                #expect(try node.output.line(containing: #""payload":-5"#) != nil)
                try bus.run(
                    ["trigger", "Raw", "{nó", "--raw", "text/plain", "--from", "/a"]
                ).expectSuccess()
                let raw = try node.output.line(ofLane: "event")
                #expect(raw["payload"].isMissing && raw["contentType"].string == "text/plain")
                #expect(raw["payloadBase64"].string == Data("{nó".utf8).base64EncodedString())
            }
        }

        @Test(arguments: [
            "{", "{\"a\":}", "[1,]", "01", "1.", "nul", "\"\u{7}\"", "'a'", "1 2", "\"\\x\"",
            "",
            "{\"a\" 1}", "\"\\ud800\"", "+1",
        ])
        func `a payload that is not JSON exits with 65 and raises nothing`(payload: String) throws {
            try FaultBus.open { bus in
                let ending = try bus.run(["trigger", "X", "--", payload])
                #expect(ending.exitCode == 65, "\(ending.diagnostics.text)")
                #expect(try bus.counters()["triggered"] == 0)
            }
        }

        @Test(arguments: [(0, 3), (1, 75), (40 << 20, 75)])
        func `a message over the bus's limit is refused, and the error names the limit`(
            excess: Int, exitCode: Int32
        ) throws {
            try FaultBus.open { bus in
                let limits = try bus.run(["status", "--json"]).document()["limits"]
                let limit = try #require(limits["messageBytes"].integer)
                let said = RaisedFields(
                    name: EventName("Big"), origin: "/", contentType: "text/plain")
                let room = limit - Header.byteCount - said.fields.count
                let file = bus.directory + "/payload"
                try Data(count: room + excess).write(to: URL(filePath: file))
                let ending = try bus.run(["trigger", "Big", "@" + file, "--raw", "text/plain"])
                #expect(ending.exitCode == exitCode, "\(ending.diagnostics.text)")
                let isNamed = ending.diagnostics.text.contains("limit messageBytes of \(limit)")
                #expect(isNamed == (excess > 0))
                // The daemon received the message only if it was within the limit.
                #expect(try bus.counters()["triggered"] == (excess > 0 ? 0 : 1))
            }
        }

        @Test func `an event with --no-wait prints its ID and is delivered`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--delay", "60s"])
                let ending = try bus.run(["trigger", "X", "--from", "/a", "--no-wait"])
                #expect(ending.exitCode == 0)
                let line = try node.output.line(ofLane: "event")
                #expect(
                    line["id"].string
                        == ending.output.text.split(separator: "\n").first.map(String.init))
                node.kill()
            }
        }

        @Test func `a publication reaches the recipients of its destination`() throws {
            try FaultBus.open { bus in
                let house = try bus.attach("/house", ["--subscribe", "Bell"])
                let oven = try bus.attach("/house/oven", ["--subscribe", "Bell"])
                let sink = try bus.attach("/house/sink", ["--subscribe", "Bell"])
                let expected = [
                    "last": ["/house/sink"], "lastLevel": ["/house/oven", "/house/sink"],
                    "firstLevel": ["/house"], "all": ["/house", "/house/oven", "/house/sink"],
                ]
                for (destination, paths) in expected {
                    let ending = try bus.run(
                        ["publish", "Bell", #""\#(destination)""#, "--to", destination, "--json"])
                    #expect(ending.exitCode == 0)
                    let outcome = try ending.document()
                    #expect(outcome["outcome"].string == "delivered")
                    #expect(outcome["paths"].strings == paths)
                }
                #expect(try bus.run(["publish", "Unwanted"]).exitCode == 3)
                #expect(try bus.run(["publish", "Bell", "--at", "/nowhere"]).exitCode == 4)
                for (program, count) in [(house, 2), (oven, 2), (sink, 3)] {
                    program.signal(SIGTERM)
                    let lines = try program.end().output.text.split(separator: "\n").dropFirst()
                    #expect(lines.count == count)
                    #expect(lines.allSatisfy { $0.contains(#""lane":"publication""#) })
                }
            }
        }

        @Test func `an inactive node receives no publication until it is activated`() throws {
            try FaultBus.open { bus in
                let house = try bus.attach("/house", ["--handle", "Order"])
                let node = try bus.attach("/house/oven", ["--subscribe", "Bell", "--inactive"])
                #expect(try bus.run(["publish", "Bell"]).exitCode == 3)
                let active = try bus.run(["activate", "/house/oven", "--json"]).document()
                #expect(active["active"].bool == true)
                try bus.run(["publish", "Bell"]).expectSuccess()
                #expect(try node.output.line(ofLane: "publication")["name"].string == "Bell")
                try bus.run(["deactivate", "/house"]).expectSuccess()
                #expect(try bus.run(["publish", "Bell"]).exitCode == 3)
                // The oven is active itself, and stays inactive with the house.
                let below = try bus.run(["activate", "/house/oven"])
                #expect(below.exitCode == 3)
                #expect(below.output.text.contains("inactive, because /house is"))
                #expect(try bus.run(["activate", "/nowhere"]).exitCode == 4)
                withExtendedLifetime(house) {}
            }
        }
    }
}
