// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineInspectionTests {
        @Test func `the tree has the members of the contract, and the root comes first`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach(
                    "/shop/floor",
                    ["--transform", "Old=New", "--handle", "*", "--subscribe", "Bell"])
                let tree = try bus.run(["--json"]).document()
                #expect(tree["schema"].string == "cascade/v1/tree")
                #expect(tree["bus"].string == bus.endpoint)
                let paths = tree["nodes"].elements.map { $0["path"].string }
                #expect(paths == ["/", "/witness", "/shop", "/shop/floor"])
                let root = tree["nodes"][0]
                #expect(root["pid"].integer == Int(bus.daemon.processID))
                #expect(root["uid"].integer == Int(geteuid()))
                #expect(root["parent"].isMissing && root["children"].integer == 2)
                let shop = tree["nodes"][2]
                #expect(shop["state"].string == "vacant" && shop["pid"].isMissing)
                let floor = tree["nodes"][3]
                #expect(floor["parent"].string == "/shop" && floor["state"].string == "live")
                #expect(floor["active"].bool == true)
                #expect(floor["pid"].integer == Int(node.processID))
                #expect(floor["uid"].integer == Int(getuid()))
                #expect(floor["session"].string?.count == 32)
                #expect(floor["subscriptions"].strings == ["Bell"])
                let first = floor["responders"][0]
                #expect(first.members == ["index", "kind", "name"])
                #expect(first["kind"].string == "transform" && first["name"].string == "Old")
                #expect(floor["responders"][1]["name"].string == "*")
                let since = try #require(floor["since"].string)
                #expect(since.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            }
        }

        @Test func `depth and path select the nodes of tree and list`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop/floor", ["--handle", "Order"])
                let top = try bus.run(["tree", "--depth", "1"]).output.text
                #expect(top.contains("/shop") && !top.contains("/floor"))
                let floor = try bus.run(["tree", "/shop"]).output.text.split(separator: "\n")
                #expect(floor.count == 3)
                #expect(floor[2].contains("● /floor") && floor[2].contains("handle Order"))
                #expect(floor[2].contains("\(node.processID)"))
                let live = try bus.run(["list", "--state", "live", "--sort", "path"]).output.text
                let lines = live.split(separator: "\n")
                #expect(
                    lines.dropFirst().map { $0.split(separator: " ")[0] } == [
                        "/", "/shop/floor", "/witness",
                    ])
                #expect(!live.contains("\u{1B}"))
                let coloured = try bus.run(["tree", "--color", "always"]).output.text
                #expect(coloured.contains("\u{1B}[32mlive\u{1B}[0m"))
            }
        }

        @Test func `the tree shows a node's rate since it attached or since the update before`()
            throws
        {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--handle", "Order", "--subscribe", "Bell"])
                let watch = try bus.start(["tree", "/shop", "--watch"])
                #expect(try watch.output.line(containing: "/shop")?.rate == "0/s")
                try bus.run(["trigger", "Order", "--from", "/shop"]).expectSuccess()
                try bus.run(["publish", "Bell"]).expectSuccess()
                let tree = try bus.run(["tree"]).output.text
                let lines = tree.split(separator: "\n").map(String.init)
                #expect(lines[0].hasSuffix("RATE"))
                #expect(lines.filter { $0.rate != nil }.count == 2, "the witness and the shop")
                #expect(lines.first { $0.contains("/witness") }?.rate == "0/s")
                let mean = try #require(lines.first { $0.contains("/shop") }?.rate)
                #expect(mean != "0/s")
                try bus.run(["deactivate", "/shop"]).expectSuccess()
                let busy = try #require(try watch.output.line(containing: "inactive")?.rate)
                #expect(busy != "0/s")
                try bus.run(["activate", "/shop"]).expectSuccess()
                #expect(try watch.output.line(containing: "live")?.rate == "0/s")
                #expect(try bus.run(["tree", "--json"]).document()["nodes"][0]["rate"].isMissing)
                withExtendedLifetime(node) {}
            }
        }

        @Test func `the status of the bus and of a node has the members of the contract`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--handle", "Order", "--inactive"])
                let card = try bus.run(["status", "--json"]).document()
                #expect(card["schema"].string == "cascade/v1/status")
                #expect(card["pid"].integer == Int(bus.daemon.processID))
                #expect(card["counters"]["nodes.inactive"].integer == 1)
                #expect(card["limits"]["depth"].integer == 1024)
                let shop = try bus.run(["status", "/shop", "--json"]).document()["node"]
                #expect(shop["pid"].integer == Int(node.processID))
                #expect(shop["state"].string == "inactive" && shop["active"].bool == false)
                #expect(try bus.run(["status", "/shop"]).output.text.contains("handle Order"))
                #expect(try bus.run(["status", "/nowhere"]).exitCode == 4)
                #expect(shop["outcomes"].isMissing)
                let failing = try bus.attach("/shop/till", ["--handle", "Sale", "--throw", "Jam"])
                _ = try bus.trigger("Sale", ["--from", "/shop/till"])
                let till = try bus.run(["status", "/shop/till", "--json"]).document()["node"]
                #expect(till["outcomes"][0]["name"].string == "Sale")
                #expect(till["outcomes"][0]["outcome"].string == "failed")
                #expect(till["lastError"]["error"]["name"].string == "Jam")
                let shown = try bus.run(["status", "/shop/till"]).output.text
                #expect(shown.contains("Jam, of Sale from /shop/till, failed"))
                withExtendedLifetime(failing) {}
            }
        }

        @Test func `subscribers are listed for each destination, and none is a negative answer`()
            throws
        {
            try FaultBus.open { bus in
                #expect(try bus.run(["subscribers", "Bell"]).exitCode == 3)
                let outer = try bus.attach("/house", ["--subscribe", "Bell"])
                let inner = try bus.attach("/house/kitchen", ["--subscribe", "Bell"])
                let answer = try bus.run(["subscribers", "Bell", "--json"])
                #expect(answer.exitCode == 0)
                let document = try answer.document()
                #expect(document["last"].strings == ["/house/kitchen"])
                #expect(document["lastLevel"].strings == ["/house/kitchen"])
                #expect(document["firstLevel"].strings == ["/house"])
                #expect(document["all"].strings == ["/house", "/house/kitchen"])
                let below = try bus.run(
                    ["subscribers", "Bell", "--at", "/house/kitchen", "--json"]
                ).document()
                #expect(below["all"].strings == ["/house/kitchen"])
                withExtendedLifetime((outer, inner)) {}
            }
        }

        @Test func `a watched tree is printed again on each change until it is interrupted`() throws
        {
            try FaultBus.open { bus in
                let watch = try bus.start(["tree", "--watch", "--json"])
                #expect(try watch.output.line(containing: "/witness") != nil)
                let node = try bus.attach("/shop", ["--handle", "Order"])
                #expect(try watch.output.line(containing: "\"/shop\"") != nil)
                try bus.run(["deactivate", "/shop"]).expectSuccess()
                #expect(try watch.output.line(containing: "\"state\":\"inactive\"") != nil)
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
                watch.signal(SIGINT)
                #expect(try watch.end().exitCode == 130)
            }
        }

        @Test func `a wait ends when the node reaches the state, or with 75 at the timeout`() throws
        {
            try FaultBus.open { bus in
                let early = try bus.start(["wait", "/shop", "--json"])
                let inactive = try bus.start(["wait", "/shop", "--state", "inactive"])
                let node = try bus.attach("/shop", ["--handle", "Order"])
                let document = try early.end().document()
                #expect(document["path"].string == "/shop" && document["state"].string == "live")
                try bus.run(["deactivate", "/shop"]).expectSuccess()
                try inactive.end().expectSuccess()
                let gone = try bus.start(["wait", "/shop", "--state", "gone"])
                node.signal(SIGTERM)
                try gone.end().expectSuccess()
                let never = try bus.run(["wait", "/never", "--timeout", "50ms"])
                #expect(never.exitCode == 75 && never.output.bytes.isEmpty)
                #expect(never.diagnostics.text.contains("/never"))
                let absent = try bus.run(["wait", "/never", "--timeout", "0s"])
                #expect(absent.exitCode == 75)
                #expect(absent.diagnostics.text.contains("/never has not become live within 0s"))
                try bus.run(["wait", "/never", "--state", "gone", "--timeout", "0s"])
                    .expectSuccess()
            }
        }

        @Test func `a ping reports the round trip, and a version the releases`() throws {
            try FaultBus.open { bus in
                let ping = try bus.run(["ping", "--json"]).document()
                #expect(ping["bus"].string == bus.endpoint)
                #expect(try #require(ping["microseconds"].integer) > 0)
                let version = try bus.run(["version", "--json"]).document()
                #expect(version["release"].string?.hasPrefix("cascadectl ") == true)
                #expect(version["bus"]["release"].string?.hasPrefix("cascaded ") == true)
            }
        }
    }
}

extension SpawnedProgram.Ending {
    func expectSuccess(_ location: SourceLocation = #_sourceLocation) {
        #expect(exitCode == 0, "\(diagnostics.text)", sourceLocation: location)
    }
}

extension String {
    /// The last column of a line of the tree if it is a rate.
    fileprivate var rate: String? {
        split(separator: " ").last.map(String.init).flatMap { $0.hasSuffix("/s") ? $0 : nil }
    }
}
