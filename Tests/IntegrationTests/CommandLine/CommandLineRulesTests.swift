// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineRulesTests {
        private nonisolated static let right = """
            # The shop's
            platform == "watch" => details <= "minimal" ; high
            details <= "full"
            """

        @Test func `rule files are checked without a bus, and each fault has its line and column`()
            throws
        {
            try inDirectory { directory in
                let good = try file("good.rules", Self.right, in: directory)
                let ending = try run(["rules", "check", good])
                #expect(ending.exitCode == 0 && ending.output.text == "\(good): 2 rules\n")
                let bad = try file(
                    "bad.rules", "a <= 1\nb <=\n\nc => d\n  node.name <= 1\n", in: directory)
                let refused = try run(["rules", "check", bad])
                #expect(refused.exitCode == 78 && refused.output.bytes.isEmpty)
                let lines = refused.diagnostics.text.split(separator: "\n")
                #expect(lines.count == 3)
                #expect(lines[0].hasPrefix("\(bad):2:5: "))
                #expect(lines[1].hasPrefix("\(bad):4:"))
                #expect(lines[2].hasPrefix("\(bad):5:3: the bus itself provides 'node.name'"))
                let json = try run(["rules", "check", bad, "--json"])
                #expect(json.exitCode == 78 && json.diagnostics.bytes.isEmpty)
                let errors = try json.document()["errors"].elements
                #expect(errors.map { $0["line"].integer } == [2, 4, 5])
                #expect(errors[0]["column"].integer == 5)
                let foreign = directory + "/latin.rules"
                try Data(Array("a <= 1\nb <= \"ä".utf8) + [0xE4]).write(to: URL(filePath: foreign))
                let unread = try run(["rules", "check", foreign])
                #expect(unread.exitCode == 78)
                #expect(unread.diagnostics.text == "\(foreign):2:8: this byte is not UTF-8\n")
                let document = try run(["rules", "check", foreign, "--json"]).document()
                #expect(document["errors"][0]["line"].integer == 2)
                let absent = try run(["rules", "check", directory + "/none.rules"])
                #expect(absent.exitCode == 78)
                #expect(absent.diagnostics.text.contains("\(directory)/none.rules"))
            }
        }

        @Test func `rules are listed by node with their priorities`() throws {
            try FaultBus.open { bus in
                #expect(try bus.run(["rules"]).output.text == "there are no rules\n")
                let node = try bus.attach(
                    "/shop",
                    [
                        "--rule", #"platform == "watch" => details <= "minimal" ; high"#, "--rule",
                        #"details <= "full""#,
                    ])
                let document = try bus.run(["rules", "list", "--json"]).document()
                #expect(document["schema"].string == "cascade/v1/rules")
                let model = document["models"][0]
                #expect(model["at"].string == "/shop")
                #expect(model["rules"].elements.map { $0["priority"].integer } == [150, 100])
                #expect(model["rules"][1]["rule"].string == #"details <= "full""#)
                let text = try bus.run(["rules"]).output.text
                #expect(text.contains("/shop") && text.contains("150"))
                withExtendedLifetime(node) {}
            }
        }

        @Test func `a rule gives each reader its value, and follows its inputs`() throws {
            try FaultBus.open { bus in
                let shop = try bus.attach(
                    "/shop",
                    [
                        "--rule", #"platform == "watch" => details <= "minimal""#, "--rule",
                        #"details <= "full" ; low"#,
                    ])
                let watch = try bus.attach("/shop/watch", ["--watch-env", "details"])
                #expect(try watch.output.line(ofLane: "env")["value"].string == "full")
                _ = try bus.run(["env", "set", #"platform="watch""#, "--at", "/shop/watch"])
                #expect(try watch.output.line(ofLane: "env")["value"].string == "minimal")
                #expect(
                    try bus.run(["env", "get", "details", "--at", "/shop"]).output.text
                        == "\"full\"\n")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `a difference lists the changes of a rule file without making them`() throws {
            try FaultBus.open { bus in
                let node = try bus.attach("/shop", ["--watch-env", "details"])
                let rules = try file("new.rules", Self.right, in: bus.directory)
                let ending = try bus.run(["rules", "diff", rules, "--json"])
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                let document = try ending.document()
                #expect(document["schema"].string == "cascade/v1/rulesDiff")
                let change = document["changes"].elements.first { $0["path"].string == "/shop" }
                #expect(change?["key"].string == "details" && change?["new"].string == "full")
                #expect(change?["old"].isMissing == true)
                let text = try bus.run(["rules", "diff", rules]).output.text
                #expect(text.contains("/shop") && text.contains("\"full\""))
                #expect(try bus.run(["env", "get", "details", "--at", "/shop"]).exitCode == 4)
                let none = try file("none.rules", "# nothing\n", in: bus.directory)
                let same = try bus.run(["rules", "diff", none])
                #expect(same.exitCode == 0 && same.output.text == "nothing would change\n")
                let bad = try file("bad.rules", "a =>", in: bus.directory)
                let refused = try bus.run(["rules", "diff", bad])
                #expect(refused.exitCode == 78)
                #expect(refused.diagnostics.text.hasPrefix("\(bad):1:"))
                let other = try bus.run(["rules", "diff", rules, "--replaces", "/none.rules"])
                #expect(other.exitCode == 4)
                withExtendedLifetime(node) {}
            }
        }

        @Test
        func `a changed rule file is compared with its former rules, then reloaded or refused`()
            throws
        {
            try inDirectory { directory in
                let rules = try file("shop.rules", "details <= 1\nsize <= 2\n", in: directory)
                try FaultBus.open(["--rules", directory]) { bus in
                    let node = try bus.attach("/shop", ["--watch-env", "details"])
                    #expect(try node.output.line(ofLane: "env")["value"].integer == 1)
                    let explained = try bus.run(["env", "get", "size", "--json"]).document()
                    #expect(explained["from"].string == "\(rules):2")
                    let list = try bus.run(["rules", "--json"]).document()
                    #expect(list["models"][0]["file"].string == rules)
                    _ = try file("shop.rules", "details <= 3\n", in: directory)
                    let difference = try bus.run(["rules", "diff", rules, "--json"]).document()
                    let changes = difference["changes"].elements.filter {
                        $0["path"].string == "/shop"
                    }
                    #expect(changes.map { $0["key"].string } == ["details", "size"])
                    #expect(changes[0]["old"].integer == 1 && changes[0]["new"].integer == 3)
                    #expect(changes[1]["new"].isMissing)
                    let copy = try file("copy", "details <= 4", in: bus.directory)
                    let replaced = try bus.run(
                        ["rules", "diff", copy, "--replaces", rules, "--json"])
                    #expect(try replaced.document()["changes"][0]["new"].integer == 4)
                    #expect(try bus.run(["env", "get", "details"]).output.text == "1\n")
                    let reload = try bus.run(["reload", "--json"])
                    #expect(reload.exitCode == 0, "\(reload.diagnostics.text)")
                    #expect(try reload.document()["pid"].integer == Int(bus.daemon.processID))
                    #expect(try node.output.line(ofLane: "env")["value"].integer == 3)
                    _ = try file("shop.rules", "details <=\n", in: directory)
                    let refused = try bus.run(["reload"])
                    #expect(refused.exitCode == 78)
                    #expect(refused.diagnostics.text.contains("\(rules):1:11: "))
                    let said = try bus.daemon.diagnostics.line(containing: "\(rules):1:")
                    #expect(said?.contains("the previous files stay in force") == true)
                    try FileManager.default.removeItem(atPath: rules)
                    try FileManager.default.createDirectory(
                        atPath: rules, withIntermediateDirectories: false)
                    let unreadable = try bus.run(["reload"])
                    #expect(unreadable.exitCode == 78)
                    #expect(unreadable.diagnostics.text.contains("'\(rules)' cannot be read"))
                    #expect(try bus.run(["env", "get", "details"]).output.text == "3\n")
                }
            }
        }

        // MARK: - Files

        private func inDirectory(_ body: (String) throws -> Void) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            try body(directory)
        }

        private func file(_ name: String, _ text: String, in directory: String) throws -> String {
            let path = directory + "/" + name
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }

        private func run(_ arguments: [String]) throws -> SpawnedProgram.Ending {
            try SpawnedProgram("cascadectl", arguments, bus: "ipc:///none").end()
        }
    }
}
