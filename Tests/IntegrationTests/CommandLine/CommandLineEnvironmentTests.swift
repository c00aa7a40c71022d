// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Commands that set and inspect the environment.
    @FaultThread
    @Suite struct CommandLineEnvironmentTests {
        @Test func `a value set from outside is read at its path and below until it is unset`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop/floor", ["--handle", "Job"])
                let set = try bus.run(
                    ["env", "set", #"mode="dark""#, "size={ \"w\": 1.50 }", "--at", "/shop"])
                #expect(set.exitCode == 0, "\(set.diagnostics.text)")
                for path in ["/shop", "/shop/floor"] {
                    let mode = try bus.run(["env", "get", "mode", "--at", path])
                    #expect(mode.exitCode == 0 && mode.output.text == "\"dark\"\n")
                }
                let size = try bus.run(["env", "get", "size", "--at", "/shop/floor", "--json"])
                let document = try size.document()
                #expect(document["schema"].string == "cascade/v1/env")
                #expect(document["key"].string == "size" && document["from"].string == "/shop")
                #expect(size.output.text.contains(#""value":{"w":1.50}"#))
                #expect(try bus.run(["env", "get", "mode", "--at", "/"]).exitCode == 4)
                let unset = try bus.run(["env", "unset", "mode", "size", "--at", "/shop"])
                #expect(unset.exitCode == 0, "\(unset.diagnostics.text)")
                for key in ["mode", "size"] {
                    let gone = try bus.run(["env", "get", key, "--at", "/shop/floor"])
                    #expect(gone.exitCode == 4 && gone.output.bytes.isEmpty)
                    #expect(gone.diagnostics.text.contains(key))
                }
                #expect(try bus.run(["env", "unset", "mode", "--at", "/shop"]).exitCode == 4)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a sticky value from outside outlives its node and overrides the node's own`()
            throws
        {
            try FaultBus.open(["--grace", "100ms"]) { bus in
                let node = try bus.attach("/shop", ["--env", "mode=1", "--handle", "X"])
                let below = try bus.attach("/shop/floor", ["--watch-env", "mode"])
                #expect(try below.output.line(ofLane: "env")["value"].integer == 1)
                _ = try bus.run(["env", "set", "mode=2", "--at", "/shop", "--self", "--sticky"])
                #expect(try below.output.line(ofLane: "env")["value"].integer == 2)
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                let mode = try bus.run(["env", "get", "mode", "--at", "/shop/floor"])
                #expect(mode.output.text == "2\n")
            }
        }

        @Test func `a node that is given two values of one key does not attach`() throws {
            try FaultBus.open { bus in
                for options in [
                    ["--env", "a=1", "--env", "a=2"], ["--env", "a=1", "--env-self", "a=2"],
                    ["--prefer", "a=1:sum", "--prefer", "a=2:max"],
                ] {
                    let twice = try bus.run(["attach", "/shop"] + options)
                    #expect(twice.exitCode == 64)
                    #expect(twice.diagnostics.text.contains("the key 'a' is given twice"))
                }
            }
        }

        @Test func `several keys are set together or not at all`() throws {
            try FaultBus.open { bus in
                let twice = try bus.run(["env", "set", "a=1", "b=1", "a=2"])
                #expect(twice.exitCode == 64)
                #expect(twice.diagnostics.text.contains("the key 'a' is given twice"))
                let refused = try bus.run(["env", "set", "a=1", "node.path=2"])
                #expect(refused.exitCode == 64)
                #expect(refused.diagnostics.text.contains("node.path"))
                #expect(try bus.run(["env", "get", "a"]).exitCode == 4)
                _ = try bus.run(["env", "set", "a=1"])
                #expect(try bus.run(["env", "unset", "a", "b"]).exitCode == 4)
                #expect(try bus.run(["env", "get", "a"]).output.text == "1\n")
            }
        }

        @Test func `a list names the provenance of each value, and a missing node exits with 4`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop", ["--env", #"mode="a""#, "--rule", "size <= 12", "--handle", "X"])
                let floor = try bus.attach("/shop/floor", ["--handle", "X"])
                _ = try bus.run(["env", "set", "light=null"])
                let ending = try bus.run(["env", "list", "--at", "/shop/floor", "--json"])
                let values = try ending.document()["values"].elements.filter {
                    !($0["key"].string ?? "").contains(".")
                }
                #expect(values.map { $0["key"].string } == ["light", "mode", "size"])
                #expect(values.map { $0["from"].string } == ["/", "/shop", "/shop rule 1"])
                #expect(ending.output.text.contains(#""key":"light","value":null"#))
                let text = try bus.run(["env", "--at", "/shop/floor"]).output.text
                #expect(text.contains("mode") && text.contains("/shop rule 1"))
                #expect(try bus.run(["env", "list", "--at", "/nowhere"]).exitCode == 4)
                #expect(try bus.run(["env", "get", "mode", "--at", "/nowhere"]).exitCode == 4)
                withExtendedLifetime((node, floor)) {}
            }
        }

        @Test func `a watch prints the current value and each change, as text and as JSON`() throws
        {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "mode=1", "other=1"])
                let text = try bus.start(["env", "watch", "mode"])
                #expect(try text.output.line(containing: "mode is 1") != nil)
                let json = try bus.start(["env", "watch", "--json"])
                let first = try #require(try json.output.line(containing: "\"mode\""))
                #expect(try JSONText(first)["schema"].string == "cascade/v1/envChange")
                #expect(try JSONText(first)["value"].integer == 1)
                #expect(try JSONText(first)["old"].isMissing)
                _ = try bus.run(["env", "set", "mode=2", "other=2"])
                #expect(try text.output.line(containing: "mode is 2, was 1") != nil)
                let change = try #require(try json.output.line(containing: "\"mode\""))
                #expect(try JSONText(change)["old"].integer == 1)
                _ = try bus.run(["env", "unset", "mode"])
                #expect(
                    try text.output.line(containing: "mode has no value, was 2") != nil)
                let gone = try #require(try json.output.line(containing: "\"mode\""))
                #expect(try JSONText(gone)["value"].isMissing)
                #expect(!text.output.text.contains("other"))
            }
        }

        @Test func `the status of a node lists its values and follows their changes`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--handle", "X"])
                let watch = try bus.start(["status", "/shop", "--watch"])
                #expect(try watch.output.line(containing: "/shop") != nil)
                _ = try bus.run(["env", "set", #"mode="dark""#])
                let line = try watch.output.line(containing: #"mode is "dark" from /"#)
                #expect(line?.contains("environment") == true)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a watched value is printed again on each change until it is unset`() throws {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "mode=1"])
                let watch = try bus.start(["env", "get", "mode", "--watch", "--json"])
                #expect(try watch.output.line(containing: "\"value\":1") != nil)
                _ = try bus.run(["env", "set", "mode=2"])
                #expect(try watch.output.line(containing: "\"value\":2") != nil)
                _ = try bus.run(["env", "unset", "mode"])
                #expect(try watch.end().exitCode == 4)
            }
        }

        @Test func `lists, explanations, preferences and rules can be watched`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--stdio"])
                let commands = [
                    ["env", "list", "--at", "/shop"], ["env", "explain", "mode", "--at", "/shop"],
                    ["preferences", "/shop"], ["rules"],
                ]
                let watches = try commands.map { command in
                    let watch = try bus.start(command + ["--watch", "--json"])
                    #expect(try watch.output.line(containing: "schema") != nil, "\(command)")
                    return watch
                }
                _ = try bus.run(["env", "set", "mode=17", "--at", "/shop"])
                node.write(line: #"{"prefer":{"mode":17},"reducer":"sum"}"#)
                let below = try bus.attach("/shop/floor", ["--rule", "mode <= 17"])
                for (watch, command) in zip(watches, commands) {
                    #expect(try watch.output.line(containing: "17") != nil, "\(command)")
                }
                withExtendedLifetime(below) {}
            }
        }

        @Test func `an explanation lists each candidate with its provenance and result`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop", ["--rule", #"mode <= "ruled""#, "--handle", "X"])
                _ = try bus.run(["env", "set", #"mode="top""#])
                _ = try bus.run(["env", "set", #"mode="shop""#, "--at", "/shop"])
                let ending = try bus.run(["env", "explain", "mode", "--at", "/shop", "--json"])
                #expect(ending.exitCode == 0)
                let document = try ending.document()
                #expect(document["schema"].string == "cascade/v1/explain")
                #expect(document["at"].string == "/shop" && document["value"].string == "shop")
                let candidates = document["candidates"].elements
                #expect(candidates[0]["won"].bool == true)
                #expect(candidates[0]["from"].string == "/shop")
                #expect(candidates[0]["by"].string?.hasSuffix("from outside") == true)
                #expect(candidates[0]["since"].string?.hasSuffix("Z") == true)
                #expect(candidates.dropFirst().allSatisfy { $0["won"].bool == false })
                #expect(candidates.contains { $0["kind"].string == "rule" })
                let text = try bus.run(["env", "explain", "mode", "--at", "/shop"]).output.text
                #expect(text.hasPrefix("mode is \"shop\" at /shop\n") && text.contains("won"))
                let none = try bus.run(["env", "explain", "nothing", "--json"])
                #expect(none.exitCode == 4)
                #expect(try none.document()["value"].isMissing)
                let unset = try bus.run(["env", "explain", "nothing"]).output.text
                #expect(unset.contains("default  the reader") && !unset.contains("won"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a value from outside is explained at a path without a node`() throws {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "mode=2", "--at", "/later"])
                let get = try bus.run(["env", "get", "mode", "--at", "/later"])
                #expect(get.output.text == "2\n")
                let ending = try bus.run(["env", "explain", "mode", "--at", "/later", "--json"])
                #expect(ending.exitCode == 0)
                let document = try ending.document()
                #expect(document["value"].integer == 2)
                let winner = document["candidates"][0]
                #expect(winner["won"].bool == true && winner["from"].string == "/later")
                for key in ["other", "node.path"] {
                    let other = try bus.run(["env", "explain", key, "--at", "/later"])
                    #expect(other.exitCode == 4)
                }
            }
        }

        @Test func `the tree has a column for a key, live and from a dump`() throws {
            try FaultBus.open { bus in
                let shop = try bus.attach("/shop", ["--env", "level=7", "--handle", "X"])
                let floor = try bus.attach("/shop/floor", ["--handle", "X"])
                let tree = try bus.run(["tree", "/shop", "--env", "level", "--json"]).document()
                #expect(tree["nodes"][0]["environment"].isMissing)
                #expect(tree["nodes"][1]["environment"]["level"].integer == 7)
                let watch = try bus.start(["tree", "/shop", "--env", "level", "--json", "--watch"])
                #expect(try watch.output.line(containing: "\"level\":7") != nil)
                let dump = bus.directory + "/dump.json"
                try Data(bus.run(["dump"]).output.bytes).write(to: URL(filePath: dump))
                _ = try bus.run(["env", "set", "level=8", "--at", "/shop/floor"])
                #expect(try watch.output.line(containing: "\"level\":8") != nil)
                let text = try bus.run(["tree", "--env", "level"]).output.text
                #expect(text.split(separator: "\n").first?.contains("level") == true)
                let dumped = try SpawnedProgram(
                    "cascadectl", ["tree", "/shop", "--env", "level", "--json", "--dump", dump],
                    bus: "ipc:///none"
                ).end().document()
                #expect(dumped["nodes"][1]["environment"]["level"].integer == 7)
                withExtendedLifetime((shop, floor)) {}
            }
        }
    }
}
