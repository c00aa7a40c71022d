// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire

/// The arguments of the process, prepared for the argument parser.
///
/// Options that many commands have may stand before the command, as in `--bus ENDPOINT status`; they
/// are moved behind it. A word that should be a command and is none is found here, because the parser
/// would read it as an argument of the default command.
struct CommandWords {
    /// The arguments with all options behind the command.
    let arguments: [String]
    /// The names of the command and its subcommand; empty if the arguments name none.
    let command: [String]

    /// The options that may precede the command, with whether they take a value.
    private static let leadingOptions = [
        "--bus": true, "--server-key": true, "--key-file": true, "--color": true, "--dump": true,
        "--site": true,
        "--json": false, "--watch": false,
    ]

    private let root: any ParsableCommand.Type

    /// Throws ``Stop`` if the word at the place of a command or subcommand is none.
    ///
    /// - Parameter given: The arguments without the name of the program.
    init(_ given: some Sequence<String>, of root: any ParsableCommand.Type) throws {
        self.root = root
        let given = Array(given)
        let leading = given.prefix(Self.leadingCount(given))
        let rest = given.dropFirst(leading.count)
        guard let first = rest.first, !first.isEmpty, !first.hasPrefix("-"), !first.hasPrefix("/")
        else {
            arguments = given
            command = []
            return
        }
        guard first != Self.help else {
            _ = try Self.names(in: rest.dropFirst(), of: root)
            // The help of a command needs no bus and has one format.
            arguments = Array(rest)
            command = [Self.help]
            return
        }
        command = try Self.names(in: rest, of: root)
        arguments = command + leading + rest.dropFirst(command.count)
    }

    private static let help = "help"

    /// Returns the number of words of the options before the command.
    private static func leadingCount(_ words: [String]) -> Int {
        var count = 0
        while count < words.count {
            let name = String(words[count].prefix { $0 != "=" })
            guard let takesValue = leadingOptions[name] else {
                break
            }
            let isWhole = !takesValue || words[count].contains("=")
            guard isWhole || count + 1 < words.count else {
                break
            }
            count += isWhole ? 1 : 2
        }
        return count
    }

    /// Returns the names of commands, from `root` downwards, at the beginning of `words`. Throws
    /// ``Stop`` for a word at the place of a name that is none.
    private static func names(
        in words: some Collection<String>, of root: any ParsableCommand.Type
    ) throws -> [String] {
        var names: [String] = []
        var group: any ParsableCommand.Type = root
        for word in words {
            let commands = group.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-") else {
                break
            }
            guard let command = commands.first(where: { $0._commandName == word }) else {
                throw Stop(.usage, unknown(word, in: commands, below: names))
            }
            names.append(word)
            group = command
        }
        return names
    }

    // MARK: - Unknown options

    /// An error for the first option that the command does not have; `nil` if it has all. The
    /// argument parser may complain about the option's value instead.
    var unknownOption: Stop? {
        let options = options(of: command)
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }
        guard let unknown = given.first(where: { !options.contains($0) }) else {
            return nil
        }
        if let owner = commandBehind(unknown) {
            return Stop(
                .usage, "'\(unknown)' is an option of '\(owner)': write it behind the command")
        }
        let help = (["cascadectl help"] + command).joined(separator: " ")
        let counterpart = Self.counterparts[unknown].flatMap { options.contains($0) ? [$0] : nil }
        let suggestions = counterpart ?? Spelling.nearest(to: unknown, among: options)
        return Stop(
            .usage,
            "unknown option '\(unknown.escapedForDisplay())'"
                + (suggestions.isEmpty
                    ? "; '\(help)' lists the options" : Spelling.question(suggestions)))
    }

    /// The option for a place where another is expected: events come from a path, publications and
    /// values are at one.
    private static let counterparts = ["--from": "--at", "--at": "--from", "--path": "--at"]

    /// Returns the command with the option if the option stands in front of it; `nil` otherwise.
    private func commandBehind(_ option: String) -> String? {
        let names = root.configuration.subcommands.map { $0._commandName }
        guard command.isEmpty, let name = arguments.first(where: { names.contains($0) }),
            options(of: [name]).contains(option)
        else {
            return nil
        }
        return name
    }

    /// Returns what to do about an error of the argument parser that does not say it: the command of
    /// a worker stands behind `--`.
    func hint(forParserError message: String) -> String? {
        let isStray = ["Error: Unexpected argument", "Error: Unknown option '-"]
            .contains { message.hasPrefix($0) }
        return isStray && command.first == Attach._commandName && !arguments.contains("--")
            ? "; write a command behind '--'" : nil
    }

    /// Returns the options of a command, as its help lists them.
    private func options(of command: [String]) -> Set<String> {
        var type = root
        for name in command {
            type = type.configuration.subcommands.first { $0._commandName == name } ?? type
        }
        // Groups run their default command.
        while let standard = type.configuration.defaultSubcommand {
            type = standard
        }
        let help = type.helpMessage(includeHidden: true, columns: 200)
        let words = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }
        let listed = words.map(String.init).filter { $0.hasPrefix("--") }
        return Set(listed + ["--help", "--version"])
    }

    // MARK: - Unknown commands

    private static func unknown(
        _ word: String, in commands: [any ParsableCommand.Type], below parents: [String]
    ) -> String {
        let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let known = parents.isEmpty ? hints[word.lowercased()] : nil
        let prefix = parents.map { $0 + " " }.joined()
        var suggestions = known ?? Spelling.nearest(to: word, among: shown).map { prefix + $0 }
        if suggestions.isEmpty, parents == [Env._commandName] {
            // A key, or a key and its value, without what to do with it.
            let isKey = (try? EventName(String(word.prefix { $0 != "=" }))) != nil
            suggestions = isKey ? [(word.contains("=") ? "env set " : "env get ") + word] : []
        }
        let help = (["cascadectl help"] + parents).joined(separator: " ")
        return "unknown command '\((prefix + word).escapedForDisplay())'"
            + (suggestions.isEmpty
                ? "; '\(help)' lists the commands" : Spelling.question(suggestions))
    }

    /// The commands for words of other programs.
    private static let hints: [String: [String]] = [
        "ls": ["list", "tree"], "ps": ["list", "top"], "nodes": ["list", "tree"],
        "info": ["status"], "show": ["status"], "describe": ["status"], "cat": ["status"],
        "pub": ["publish"], "broadcast": ["publish"],
        "sub": ["attach PATH --subscribe NAME", "subscribers", "monitor"],
        "subscribe": ["attach PATH --subscribe NAME"],
        "listen": ["attach PATH --subscribe NAME", "monitor"],
        "send": ["trigger", "publish"], "emit": ["trigger", "publish"], "raise": ["trigger"],
        "fire": ["trigger"], "event": ["trigger"], "error": ["report"], "fail": ["report"],
        "req": ["request"], "call": ["request"], "ask": ["request"], "reply": ["attach"],
        "join": ["attach"], "connect": ["attach"], "add": ["attach"], "serve": ["attach"],
        "mv": ["move"], "rename": ["move"], "rm": ["detach", "drain"],
        "remove": ["detach", "drain"], "delete": ["detach", "drain"], "kill": ["detach"],
        "stop": ["deactivate", "drain"], "start": ["activate"],
        "enable": ["activate"], "disable": ["deactivate"],
        "get": ["env get"], "set": ["env set"], "unset": ["env unset"],
        "environment": ["env"], "explain": ["env explain"], "exec": ["env exec"],
        "tail": ["monitor"], "logs": ["monitor"], "log": ["monitor"], "events": ["monitor"],
        "sniff": ["monitor"], "watch": ["monitor", "top"],
        "record": ["capture"], "play": ["replay"], "backup": ["dump"], "export": ["dump"],
        "dlq": ["undelivered"], "deadletters": ["undelivered"], "held": ["undelivered"],
        "retry": ["undelivered retry"], "lint": ["check"], "validate": ["check", "rules check"],
        "verify": ["check", "doctor"], "health": ["doctor", "check"], "diagnose": ["doctor"],
        "stats": ["top", "metrics"], "prefs": ["preferences"], "dot": ["graph"],
        "auth": ["policy"], "acl": ["policy"], "permissions": ["policy"],
        "routes": ["route"], "path": ["route"], "history": ["trace", "monitor --since 1h"],
    ]
}
