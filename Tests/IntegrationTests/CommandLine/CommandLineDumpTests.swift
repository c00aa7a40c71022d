// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineDumpTests {
        @Test func `inspections of a dump answer as the bus did`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop/floor",
                    ["--handle", "Order", "--when", "a > 1", "--subscribe", "Bell", "--inactive"])
                _ = try bus.run(["trigger", "Lost"])
                let dump = try bus.run(["dump"])
                #expect(try dump.document()["schema"].string == "cascade/v1/dump")
                let file = bus.directory + "/dump.json"
                try Data(dump.output.bytes).write(to: URL(filePath: file))
                let commands = [
                    ["tree"], ["tree", "/shop"], ["list", "--sort", "path"], ["status"],
                    ["status", "/shop/floor"], ["undelivered"], ["check"],
                    ["subscribers", "Bell"], ["graph"], ["graph", "--format", "svg"], ["top"],
                ]
                // The others have counters, ages or sizes of memory.
                let unchanging = [
                    ["tree"], ["list"], ["undelivered"], ["check"], ["subscribers"], ["graph"],
                ]
                for command in commands {
                    let live = try bus.run(command + ["--json"])
                    let dumped = try SpawnedProgram(
                        "cascadectl", command + ["--json", "--dump", file], bus: "ipc:///none"
                    ).end()
                    #expect(dumped.exitCode == live.exitCode, "\(command)")
                    #expect(
                        try dumped.document().members == live.document().members, "\(command)")
                    if unchanging.contains([command[0]]) {
                        #expect(dumped.output.text == live.output.text, "\(command)")
                    }
                    let text = try SpawnedProgram(
                        "cascadectl", command + ["--dump", file], bus: "ipc:///none"
                    ).end()
                    #expect(!text.output.bytes.isEmpty, "\(command)")
                }
                let tree = try SpawnedProgram(
                    "cascadectl", ["tree", "/shop/floor", "--json", "--dump", file], bus: ""
                ).end().document()
                let live = try bus.run(["tree", "/shop/floor", "--json"]).document()
                for member in ["path", "state", "pid", "session", "responders", "subscriptions"] {
                    #expect(tree["nodes"][0][member] == live["nodes"][0][member], "\(member)")
                }
                let absent = try bus.run(["tree", "/nowhere", "--dump", file])
                #expect(absent.exitCode == 4)
                for (command, suggestion) in [
                    (["tree", "/shp"], "'/shop'"), (["status", "/floor"], "'/shop/floor'"),
                    (["preferences", "/shp"], "'/shop'"), (["graph", "/shp"], "'/shop'"),
                    (["env", "get", "bus.nmae"], "'bus.name'"),
                ] {
                    let ending = try bus.run(command + ["--dump", file])
                    #expect(ending.exitCode == 4, "\(command)")
                    #expect(
                        ending.diagnostics.text.contains(
                            "in the dump; did you mean \(suggestion)?"),
                        "\(ending.diagnostics.text)")
                }
                let bell = try bus.run(["subscribers", "bell", "--dump", file])
                #expect(bell.exitCode == 3 && bell.diagnostics.text.contains("mean 'Bell'?"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a file that is not a dump exits with 65`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = directory + "/dump.json"
            for text in ["", "{", "{}", #"{"schema":"cascade/v1/tree"}"#] {
                try Data(text.utf8).write(to: URL(filePath: file))
                let ending = try SpawnedProgram(
                    "cascadectl", ["tree", "--dump", file], bus: "ipc:///none"
                ).end()
                #expect(ending.exitCode == 65 && ending.output.bytes.isEmpty, "\(text)")
                #expect(ending.diagnostics.text.contains(file))
            }
        }

        @Test func `a watched dump continues with JSON patches`() throws {
            try FaultBus.open { bus in
                let dump = try bus.start(["dump", "--watch"])
                #expect(try dump.output.line(containing: "cascade/v1/dump") != nil)
                let node = try bus.attach("/shop", ["--handle", "Order"])
                let line = try #require(try dump.output.line(containing: "\"/shop\""))
                let difference = try JSONText(line)
                #expect(difference["schema"].string == "cascade/v1/difference")
                let added = difference["patch"].elements.first {
                    $0["value"]["path"].string == "/shop"
                }
                #expect(added?["op"].string == "add")
                #expect(added?["path"].string == "/tree/nodes/2")
                withExtendedLifetime(node) {}
            }
        }
    }
}
