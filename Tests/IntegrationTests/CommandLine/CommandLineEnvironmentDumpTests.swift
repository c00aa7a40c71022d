// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineEnvironmentDumpTests {
        @Test func `a dump answers queries about values, preferences and rules as the bus did`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop",
                    [
                        "--env-self", #"mode="dark""#, "--prefer", "orders=3:sum", "--rule",
                        #"mode == "dark" => light <= false ; high"#,
                    ])
                let file = bus.directory + "/dump.json"
                try Data(bus.run(["dump"]).output.bytes).write(to: URL(filePath: file))
                let commands = [
                    ["env", "get", "mode", "--at", "/shop"], ["env", "list", "--at", "/shop"],
                    ["rules", "list"], ["preferences"], ["preferences", "/shop"],
                ]
                let card = try bus.run(["status", "/shop", "--json"]).document()["node"]
                let dumpedCard = try bus.run(["status", "/shop", "--json", "--dump", file])
                    .document()["node"]
                #expect(card["environment"]["mode"].string == "dark")
                #expect(card["environment"]["light"].bool == false)
                #expect(card["preferences"]["orders"].integer == 3)
                #expect(dumpedCard["environment"] == card["environment"])
                #expect(dumpedCard["preferences"] == card["preferences"])
                for command in commands {
                    let live = try bus.run(command + ["--json"])
                    let dumped = try SpawnedProgram(
                        "cascadectl", command + ["--json", "--dump", file], bus: "ipc:///none"
                    ).end()
                    #expect(live.exitCode == 0 && dumped.exitCode == 0, "\(command)")
                    #expect(try dumped.document() == live.document(), "\(command)")
                }
                for absent in [["env", "get", "none"], ["env", "list", "--at", "/nowhere"]] {
                    let ending = try SpawnedProgram(
                        "cascadectl", absent + ["--dump", file], bus: "ipc:///none"
                    ).end()
                    #expect(ending.exitCode == 4, "\(absent)")
                }
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a watched dump continues with a patch when a value changes`() throws {
            try FaultBus.open { bus in
                let dump = try bus.start(["dump", "--watch"])
                #expect(try dump.output.line(containing: "cascade/v1/dump") != nil)
                _ = try bus.run(["env", "set", #"colour="red""#, "--at", "/witness"])
                let line = try #require(try dump.output.line(containing: "\"red\""))
                let added = try JSONText(line)["patch"].elements.first {
                    ($0["path"].string ?? "").hasPrefix("/environment/")
                }
                #expect(added?["op"].string == "add")
            }
        }
    }
}
