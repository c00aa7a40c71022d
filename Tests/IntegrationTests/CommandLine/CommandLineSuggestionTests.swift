// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// Errors that name what exists on the bus.
    @FaultThread
    @Suite struct CommandLineSuggestionTests {
        private static func expect(
            _ bus: FaultBus, _ arguments: [String], _ exitCode: Int32, _ words: String
        ) throws {
            let ending = try bus.run(arguments)
            #expect(ending.exitCode == exitCode, "\(arguments)")
            let text = ending.diagnostics.text
            #expect(text.contains(words), "\(arguments): \(text)")
        }

        @Test func `A misspelt path suggests the nearest node`() throws {
            try FaultBus.open { bus in
                let oven = try bus.attach("/kitchen/oven", ["--handle", "X"])
                for arguments in [
                    ["tree", "/kichen"], ["status", "/kichen"], ["preferences", "/kichen"],
                    ["trigger", "X", "--from", "/kichen"], ["env", "get", "k", "--at", "/kichen"],
                    ["detach", "/kichen"], ["activate", "/kichen"],
                ] {
                    try Self.expect(bus, arguments, 4, "'/kichen'; did you mean '/kitchen'?")
                }
                try Self.expect(bus, ["status", "/oven"], 4, "did you mean '/kitchen/oven'?")
                withExtendedLifetime(oven) {}
            }
        }

        @Test func `An event that no node handled suggests the name and the place`() throws {
            try FaultBus.open { bus in
                let shop = try bus.attach(
                    "/shop", ["--handle", "OrderPlaced", "--when", "amount > 3"])
                let lamp = try bus.attach("/lamp", ["--subscribe", "Night"])
                try Self.expect(
                    bus, ["trigger", "OrderPlaced"], 3,
                    "'/shop' handles 'OrderPlaced': use --from /shop")
                try Self.expect(
                    bus, ["trigger", "orderplaced"], 3,
                    "did you mean 'OrderPlaced' with --from /shop?")
                try Self.expect(
                    bus, ["trigger", "OrderPlaced", "--from", "/shop"], 3,
                    "'cascadectl route OrderPlaced --from /shop' shows why")
                try Self.expect(bus, ["route", "orderplaced"], 3, "did you mean 'OrderPlaced'")
                try Self.expect(bus, ["publish", "nihgt"], 3, "did you mean 'Night'?")
                try Self.expect(bus, ["subscribers", "nihgt"], 3, "did you mean 'Night'?")
                try Self.expect(
                    bus, ["request", "Price"], 3, "unhandled in")
                let outcome = try bus.run(["trigger", "orderplaced", "--json"])
                #expect(outcome.output.text.split(separator: "\n").count == 1)
                withExtendedLifetime((shop, lamp)) {}
            }
        }

        @Test func `A dry run without a payload names the members that a predicate misses`() throws
        {
            try FaultBus.open { bus in
                let shop = try bus.attach(
                    "/shop", ["--handle", "Order", "--when", "amount > 3 && colour == \"red\""])
                let route = try bus.run(["route", "Order", "--from", "/shop"])
                #expect(route.exitCode == 3)
                #expect(route.output.text.contains("the message has no 'amount'"))
                let small = try bus.run(
                    ["route", "Order", #"{"amount":1,"colour":"red"}"#, "--from", "/shop"])
                #expect(small.output.text.contains("its predicate is false\n"))
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `A misspelt key suggests the nearest with a value`() throws {
            try FaultBus.open { bus in
                try bus.run(["env", "set", "brightness=3"]).expectSuccess()
                try Self.expect(bus, ["env", "get", "brigthness"], 4, "mean 'brightness'?")
                try Self.expect(bus, ["env", "explain", "brigthness"], 4, "mean 'brightness'?")
            }
        }

        @Test func `A key without a value at the root names a node with one`() throws {
            try FaultBus.open { bus in
                let shop = try bus.attach("/shop/till", ["--env-self", "paper=1"])
                try Self.expect(
                    bus, ["env", "get", "paper"], 4,
                    "'paper' has no value at '/'; '/shop/till' has one: use --at /shop/till")
                try Self.expect(
                    bus, ["env", "unset", "paper"], 4, "'paper' is not set from outside at '/'\n")
                withExtendedLifetime(shop) {}
            }
        }

        @Test func `A value for a place without a node is set, with a warning`() throws {
            try FaultBus.open { bus in
                let ending = try bus.run(["env", "set", "k=1", "--at", "/witnes"])
                #expect(ending.exitCode == 0 && ending.output.text == "k is 1 at /witnes\n")
                #expect(ending.diagnostics.text.contains("no node is at '/witnes' now"))
                #expect(ending.diagnostics.text.contains("did you mean '/witness'?"))
                let there = try bus.run(["env", "set", "k=1", "--at", "/witness"])
                #expect(there.diagnostics.bytes.isEmpty)
            }
        }

        @Test func `A held path mentions takeover`() throws {
            try FaultBus.open { bus in
                let ending = try bus.run(["attach", "/witness", "--handle", "X"])
                #expect(ending.exitCode == 77)
                #expect(ending.diagnostics.text.contains("--takeover takes the path over"))
            }
        }

        @Test func `The daemon does not log a query for what does not exist`() throws {
            try FaultBus.open { bus in
                let before = try bus.counters()["refused"]
                for arguments in [
                    ["status", "/none"], ["env", "get", "none"],
                    ["trace", "00000000000000000000000000000000-1"],
                ] {
                    #expect(try bus.run(arguments).exitCode == 4)
                }
                #expect(try bus.counters()["refused"] == before)
                #expect(try bus.run(["activate", "/none"]).exitCode == 4)
                #expect(try bus.daemon.diagnostics.line(containing: "refused") != nil)
                let lines = bus.daemon.diagnostics.text.split(separator: "\n")
                #expect(lines.count { $0.contains("refused") } == 1, "\(lines)")
                #expect(!lines.contains { $0.contains("'none'") })
            }
        }
    }
}
