// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// The text for people, where it says more than the JSON's members.
    @FaultThread
    @Suite struct CommandLineTextTests {
        @Test func `The outcome has the event's ID, and its trace what it caused`() throws {
            try FaultBus.open { bus in
                let shop = try bus.attach(
                    "/shop",
                    ["--handle", "Order", "--handle", "Cook", "--stdio", "--concurrency", "2"])
                let trigger = try bus.start(["trigger", "Order", "--from", "/shop"])
                let visit = try JSONText(
                    try #require(try shop.output.line(containing: #""name":"Order""#)))
                let id = try #require(visit["id"].string)
                shop.write(
                    line: #"{"trigger":"Cook","cause":"\#(id)","includingSelf":true}"#)
                let cook = try JSONText(
                    try #require(try shop.output.line(containing: #""name":"Cook""#)))
                let cookID = try #require(cook["id"].string)
                for id in [cookID, id] {
                    shop.write(line: #"{"id":"\#(id)","verdict":"handled"}"#)
                }
                let outcome = try trigger.end()
                #expect(outcome.exitCode == 0 && outcome.output.text.contains("  ID \(id)\n"))
                _ = try shop.output.line(containing: #""lane":"outcome""#)
                let trace = try bus.run(["trace", id]).output.text
                #expect(trace.contains("event from /shop, begun 20"))
                #expect(trace.contains("\n  duration "))
                #expect(trace.contains("caused Cook from /shop, ID \(cookID)"))
                let json = try bus.run(["trace", id, "--json"])
                #expect(try json.document()["caused"][0]["id"].string == cookID)
                #expect(json.output.text.contains(#","caused":[{"id":""#))
                #expect(json.output.text.hasSuffix("}]}\n"))
                let caused = try bus.run(["trace", cookID]).output.text
                #expect(caused.contains("caused by \(id)") && !caused.contains("caused Cook"))
            }
        }

        @Test func `The status begins with a summary, and all limits come with --all`() throws {
            try FaultBus.open { bus in
                _ = try bus.run(["trigger", "Unheard"])
                let summary = try bus.run(["status"]).output.text
                #expect(summary.contains("1: 1 live"))
                #expect(summary.contains("wrong now   nothing"))
                #expect(summary.contains("1 unhandled: see 'undelivered'"))
                #expect(summary.split(separator: "\n").count < 20)
                #expect(!summary.contains("querySteps"))
                let all = try bus.run(["status", "--all"]).output.text
                #expect(all.contains("messageBytes 16.0 MiB") && all.contains("nodes 1 of 1048576"))
                let card = try bus.run(["status", "/witness"]).output.text
                #expect(card.contains("0 answered, 0 failed, 0 in the queue"))
            }
        }

        @Test func `A node whose visits a command answers shows the command`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/a", ["--handle", "X", "--", "sh", "-c", "exit 0"])
                let card = try bus.run(["status", "/a", "--json"]).document()["node"]
                #expect(card["program"].string == "sh -c exit 0")
                let witness = try bus.run(["status", "/witness", "--json"]).document()["node"]
                #expect(witness["program"].string == "cascadectl")
                withExtendedLifetime(node) {}
            }
        }

        @Test func `A replay names the message of each outcome`() throws {
            try FaultBus.open { bus in
                let file = bus.directory + "/capture.jsonl"
                let capture = try bus.start(["capture", file])
                #expect(try capture.diagnostics.line(containing: "recording") != nil)
                _ = try bus.run(["trigger", "Good", "--from", "/witness"])
                _ = try bus.run(["trigger", "Unheard"])
                let monitor = try bus.run(["undelivered"])
                #expect(monitor.output.text.contains("Unheard"))
                capture.signal(2)
                _ = try capture.end()
                let replay = try bus.run(["replay", file, "--speed", "0"]).output.text
                #expect(replay.contains("Good handled by /witness"))
                #expect(replay.contains("Unheard unhandled"))
            }
        }

        @Test func `The help says where a reader would stumble`() throws {
            let help = { (command: String) in
                try SpawnedProgram("cascadectl", ["help", command], bus: "ipc:///none").end()
                    .output.text.replacing(/\s+/, with: " ")
            }
            #expect(try help("preferences").contains("own offer replaces the offers of all nodes"))
            for command in ["publish", "subscribers"] {
                #expect(try help(command).contains("number of subscribers to the name above it"))
            }
        }
    }
}
