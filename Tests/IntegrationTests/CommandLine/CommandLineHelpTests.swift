// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// Help, and the words at the place of a command.
    @FaultThread
    @Suite struct CommandLineHelpTests {
        private nonisolated static let noBus = "ipc:///none/bus.sock"

        private static func run(_ arguments: [String]) throws -> SpawnedProgram.Ending {
            try SpawnedProgram("cascadectl", arguments, bus: noBus).end()
        }

        @Test func `Help lists the commands in groups`() throws {
            let help = try Self.run(["help"]).output.text
            for (group, command) in [
                ("INSPECTION", "tree"), ("MESSAGES", "trigger"), ("NODES", "attach"),
                ("VALUES", "env"), ("ADMINISTRATION", "doctor"),
            ] {
                let list = try #require(
                    help.components(separatedBy: "\(group) SUBCOMMANDS:\n").dropFirst().first)
                let lines = list.split(separator: "\n", omittingEmptySubsequences: false)
                    .prefix { !$0.isEmpty }
                #expect(lines.contains { $0.hasPrefix("  \(command) ") }, "\(group)")
            }
            #expect(!help.contains("bench-send") && !help.contains("bench-receive"))
        }

        @Test func `Help names the help of a command, and uses the public words`() throws {
            #expect(try Self.run(["help"]).output.text.contains("cascadectl help COMMAND"))
            for (words, command) in try CommandHelp.commands() {
                let text = "\(command.abstract ?? "") \(command.discussion ?? "")".lowercased()
                // To raise is the internal word for to trigger, report, request and cascade.
                #expect(!text.contains("raise"), "\(words)")
            }
            let all = try Self.run(["policy", "test", "all", "/a"])
            #expect(all.exitCode == 64)
            #expect(all.diagnostics.text.contains("'all' means every verb of a policy"))
        }

        @Test func `The help of each command has an example that the command accepts`() throws {
            let commands = try CommandHelp.commands()
            #expect(commands.count > 40)
            for (words, command) in commands {
                let example = (command.discussion ?? "").components(separatedBy: "Example: ")
                    .dropFirst().first?.components(separatedBy: "\n").first
                let line = try #require(example, "\(words)")
                #expect(line.hasPrefix("cascadectl \(words[0])"), "\(line)")
                guard !["bench", "capture", "console", "keygen"].contains(words[0]) else {
                    continue
                }
                let ending = try Self.shell(line)
                #expect(
                    ending.exitCode != nil && ending.exitCode != 64,
                    "\(line): \(ending.diagnostics.text)")
            }
        }

        /// Runs a line in a shell without a bus, and without a place for files.
        private static func shell(_ line: String) throws -> SpawnedProgram.Ending {
            let programs = try SpawnedProgram.directory().path
            let words = line.components(separatedBy: " > ")[0]
            return try SpawnedProgram(
                "/bin/sh", ["-c", "cd /; PATH=\"\(programs):$PATH\"; \(words)"], bus: noBus
            ).end()
        }

        @Test(arguments: [
            ("montior", "'monitor'"), ("trigerr", "'trigger'"), ("ls", "'list' or 'tree'"),
            ("pub", "'publish'"), ("sub", "'attach PATH --subscribe NAME'"), ("info", "'status'"),
            ("send", "'trigger' or 'publish'"), ("und", "'undelivered'"),
        ])
        func `An unknown command is named, and the one that was meant`(
            word: String, suggestion: String
        ) throws {
            for arguments in [[word], ["--json", word, "/a"], ["help", word]] {
                let ending = try Self.run(arguments)
                #expect(ending.exitCode == 64 && ending.output.bytes.isEmpty)
                let text = ending.diagnostics.text
                #expect(text.contains("unknown command '\(word)'; did you mean \(suggestion)"))
            }
        }

        @Test func `An unknown subcommand suggests one of its group`() throws {
            let ending = try Self.run(["env", "gte", "mode"])
            #expect(ending.exitCode == 64)
            #expect(
                ending.diagnostics.text.contains(
                    "unknown command 'env gte'; did you mean 'env get'?"))
            let strange = try Self.run(["undelivered", "zzzzzz"])
            #expect(strange.diagnostics.text.contains("'cascadectl help undelivered' lists"))
            #expect(strange.exitCode == 64)
        }

        @Test func `A misspelt option suggests the right one`() throws {
            for (arguments, suggestion) in [
                (["tree", "--dpeth", "2"], "'--dpeth'; did you mean '--depth'?"),
                (["--dpeth", "2"], "'--dpeth'; did you mean '--depth'?"),
                (["env", "set", "k=1", "--att=/a"], "'--att'; did you mean '--at'?"),
                (["trigger", "X", "--xyzzy"], "'--xyzzy'; 'cascadectl help trigger' lists"),
            ] {
                let ending = try Self.run(arguments)
                #expect(ending.exitCode == 64)
                #expect(ending.diagnostics.text.contains("unknown option \(suggestion)"))
            }
        }

        @Test(arguments: [
            ["trigger", "X", "--deadline", "5"], ["trigger", "X", "--hold", "5"],
            ["wait", "/a", "--timeout", "5"], ["monitor", "--since", "5"],
            ["attach", "/a", "--handle", "X", "--delay", "5"],
        ])
        func `A time without a unit is answered with the units`(arguments: [String]) throws {
            let ending = try Self.run(arguments)
            #expect(ending.exitCode == 64)
            #expect(ending.diagnostics.text.contains("'5' has no unit: write 5s for seconds"))
        }

        @Test func `Options for every command may precede the command`() throws {
            try FaultBus.open { bus in
                let other = ["--bus", bus.endpoint]
                for arguments in [
                    other + ["status", "--json"], ["--bus=\(bus.endpoint)", "--json", "status"],
                    ["--json"] + other + ["status"], ["status", "--json"] + other,
                ] {
                    let ending = try Self.run(arguments)
                    #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                    #expect(ending.output.text.contains("cascade/v1/status"))
                }
                let value = try Self.run(other + ["env", "get", "bus.name"])
                #expect(value.exitCode == 0)
                let tree = try Self.run(other + ["--json"])
                #expect(tree.output.text.contains("cascade/v1/tree"))
                let below = try Self.run(other + ["/witness"])
                #expect(below.output.text.contains("/witness"))
                let node = try SpawnedProgram(
                    "cascadectl", other + ["attach", "/a", "--handle", "X", "--", "true"],
                    bus: Self.noBus)
                #expect(try node.output.line(containing: "attached") != nil)
            }
        }
    }
}
