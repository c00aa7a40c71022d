// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension CommandLineContract {
    /// Options in the help have an effect.
    @FaultThread
    @Suite struct CommandLineOptionTests {
        /// Arguments for each command whose help lists `--color`, for a text with colours.
        private static let coloured: [String: [String]] = [
            "tree": [], "list": [], "status": [], "top": [], "monitor": ["--since", "1h"],
            "trigger": ["Good", "--from", "/shop"], "report": ["Bad"],
            "cascade": ["Sweep", "--from", "/shop"], "publish": ["Bell"],
            "route": ["Good", "--from", "/shop"], "subscribers": ["Bell"], "trace": ["ID"],
            "undelivered list": [], "undelivered show": ["ID"], "undelivered retry": ["ID"],
            "env list": [], "env watch": [], "env explain": ["bus.name"],
            "rules list": [], "rules diff": ["RULES"], "preferences": [], "check": [],
            "doctor": [], "policy list": [], "replay": ["CAPTURE", "--speed", "0"],
            "conformance": ["--list"],
        ]

        /// Commands in whose text only the loss of the bus has a colour, with `--watch`, or what a
        /// held message leaves; and that of a site.
        private static let colouredAtTimes: Set = [
            "graph", "env get", "undelivered clear", "sites", "under-way",
        ]

        @Test func `Each command whose help lists colours prints some`() throws {
            let commands = try CommandHelp.commands().filter { $0.command.lists("color") }
                .map { $0.words.joined(separator: " ") }
            #expect(Set(commands) == Self.colouredAtTimes.union(Self.coloured.keys))
            try FaultBus.open { bus in
                let shop = try bus.attach(
                    "/shop",
                    [
                        "--handle", "Good", "--subscribe", "Bell", "--triggers", "Lost",
                        "--env", "paper=1", "--prefer", "jobs=1:sum", "--rule", "ink <= 2",
                    ])
                let files = try Self.files(on: bus)
                for (command, arguments) in Self.coloured.sorted(by: { $0.key < $1.key }) {
                    let words = arguments.map { files[$0] ?? $0 }
                    let program = try bus.start(
                        command.split(separator: " ").map(String.init) + words
                            + ["--color", "always"])
                    let line = try program.output.line(containing: "\u{1B}[")
                    #expect(line != nil, "\(command): \(program.output.text)")
                }
                withExtendedLifetime(shop) {}
            }
        }

        /// Makes an undelivered event and two files, and returns what stands for them.
        private static func files(on bus: FaultBus) throws -> [String: String] {
            try bus.run(["env", "set", "light=1"]).expectSuccess()
            let capture = try bus.start(["capture", bus.directory + "/capture"])
            _ = try capture.diagnostics.line(containing: "recording")
            _ = try bus.run(["trigger", "Good", "--from", "/shop"])
            let lost = try bus.trigger("Lost")
            capture.signal(SIGINT)
            _ = try capture.end()
            let rules = "paper <= 3\nink <= 4\n"
            try Data(rules.utf8).write(to: URL(filePath: bus.directory + "/rules"))
            return [
                "ID": lost.id, "CAPTURE": bus.directory + "/capture",
                "RULES": bus.directory + "/rules",
            ]
        }

        @Test func `A command that prints no colours accepts the option without listing it`()
            throws
        {
            let commands = try CommandHelp.commands()
            try FaultBus.open { bus in
                for arguments in [
                    ["ping"], ["version"], ["env", "set", "k=1"], ["activate", "/witness"],
                    ["wait", "/witness"], ["metrics"], ["dump"],
                ] {
                    let ending = try bus.run(arguments + ["--color=always"])
                    #expect(ending.exitCode == 0 && !ending.output.text.contains("\u{1B}"))
                    let command = try #require(commands.first { arguments.starts(with: $0.words) })
                    #expect(!command.command.lists("color"), "\(arguments)")
                }
            }
        }

        @Test func `A default in the help is one of the values of its option`() throws {
            var defaultCount = 0
            for (words, command) in try CommandHelp.commands() {
                for choice in command.choices {
                    if let standard = choice.defaultValue {
                        defaultCount += 1
                        let isValue = choice.allValues?.contains(standard) == true
                        #expect(isValue, "\(words) \(choice.valueName ?? ""): \(standard)")
                    }
                }
            }
            #expect(defaultCount > 10)
        }

        @Test func `Options without an effect are not in the help`() throws {
            let options = Dictionary(
                uniqueKeysWithValues: try CommandHelp.commands().map { ($0.words, $0.command) })
            for (words, option) in [
                (["env", "set"], "self"), (["env", "set"], "sticky"), (["cascade"], "hold"),
            ] {
                let command = try #require(options[words])
                #expect(command.has(option) && !command.lists(option))
            }
        }

        @Test(arguments: [
            ["--retain"], ["--to", "all"], ["--attribute", "a=b"], ["--deadline", "1s"],
            ["--raw", "text/plain"],
        ])
        func `Clearing a retained event refuses the options of a publication`(
            options: [String]
        ) throws {
            let ending = try SpawnedProgram(
                "cascadectl", ["publish", "--clear", "Bell"] + options, bus: "ipc:///none"
            ).end()
            #expect(ending.exitCode == 64)
            #expect(ending.diagnostics.text.contains("--clear can only be combined with --at"))
        }
    }
}

/// The description of the command line that the argument parser prints.
struct CommandHelp: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let name: String
            }

            let names: [Name]?
            let valueName: String?
            let shouldDisplay: Bool?
            let allValues: [String]?
            let defaultValue: String?
        }

        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// The arguments and options whose help lists their values.
        var choices: [Argument] {
            (arguments ?? []).filter { $0.allValues != nil }
        }

        /// Whether the command has an option, in its help or hidden.
        func has(_ option: String) -> Bool {
            (arguments ?? []).contains { ($0.names ?? []).contains { $0.name == option } }
        }

        /// Whether the help lists an option.
        func lists(_ option: String) -> Bool {
            (arguments ?? []).contains { argument in
                argument.shouldDisplay != false
                    && (argument.names ?? []).contains { $0.name == option }
            }
        }

        fileprivate func leaves(
            below words: [String]
        ) -> [(words: [String], command: Command)] {
            let shown = (subcommands ?? []).filter {
                $0.shouldDisplay != false && $0.commandName != "help"
            }
            let own = commandName == "cascadectl" ? words : words + [commandName]
            return shown.isEmpty ? [(own, self)] : shown.flatMap { $0.leaves(below: own) }
        }
    }

    private let command: Command

    /// The commands without subcommands, with the words that name them.
    @FaultThread
    static func commands() throws -> [(words: [String], command: Command)] {
        let json = try SpawnedProgram(
            "cascadectl", ["--experimental-dump-help"], bus: "ipc:///none"
        ).end().output.text
        return try JSONDecoder().decode(Self.self, from: Data(json.utf8)).command.leaves(below: [])
    }
}
