// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// The environment of nodes, and values set from outside.
struct Env: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Environment: values that a node's subtree reads.",
        subcommands: [
            EnvGet.self, EnvSet.self, EnvUnset.self, EnvList.self, EnvWatch.self,
            EnvExplain.self, EnvExec.self,
        ],
        defaultSubcommand: EnvList.self)
}

// MARK: - Reading

/// Prints the value of a key at a node.
struct EnvGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a key at a node, as JSON.",
        discussion: """
            Exits with 4 if the key has no value at the node.

            Example: cascadectl env get mode --at /kitchen
            """)

    @OptionGroup var inspected: InspectionOptions

    @Argument(help: "Name of the key.", completion: .keys, transform: EventName.argument)
    var key: EventName

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: key)
        try await Inspection(inspected).show(subject) { message, _ in
            try ShownDocument<EnvironmentValueDocument>(message)
        } dumped: { dump in
            let values = try dump.environment(at: reader.at)
            guard let value = values.first(where: { $0.key == key }) else {
                let nearest = KeySuggestion.nearest(
                    to: key.description, among: values.map(\.key.description))
                throw Stop(
                    .absent,
                    "the key '\(key)' has no value at '\(reader.at)' in the dump"
                        + Spelling.question(nearest))
            }
            return ShownDocument(EnvironmentValueDocument(value))
        }
    }
}

/// Lists the environment of a node.
struct EnvList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List a node's environment, with the provenance of each value.",
        discussion: """
            Example: cascadectl env --at /kitchen
            """)

    @OptionGroup var inspected: InspectionOptions

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: nil)
        try await Inspection(inspected).show(subject) { message, _ in
            try ShownDocument<EnvironmentDocument>(message)
        } dumped: { dump in
            ShownDocument(EnvironmentDocument(values: try dump.environment(at: reader.at)))
        }
    }
}

/// Prints the environment of a node, and each change.
struct EnvWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print a node's environment, and each change, until interrupted.",
        discussion: """
            Prints one line for each key with a value, then one for each change. Changes in quick \
            succession are combined; 'attach --watch-env' prints each of them.

            Example: cascadectl env watch mode --at /kitchen
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: "Name of the key; otherwise all keys.", completion: .keys,
        transform: EventName.argument)
    var key: EventName?

    @OptionGroup var reader: ReaderOptions

    func run() async throws {
        let subject = Query.Subject.environment(path: reader.at, key: nil)
        let output = output
        try await bus.watchBus {
            output.show($0)
        } _: { bus in
            var previous = EnvironmentDocument(values: [])
            var place = AbsenceWatch(of: .place)
            for await message in try await bus.link.watch(subject) {
                try await place.watch {
                    let next = try EnvironmentDocument(answer: try Link.answer(message))
                    for change in next.changes(since: previous, of: key) {
                        output.show(ShownDocument(change))
                    }
                    previous = next
                } reporting: {
                    output.show($0)
                }
            }
        }
    }
}

/// Explains the value of a key.
struct EnvExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why a key has its value, and what it replaces.",
        discussion: """
            Prints every candidate for the value in order, and why it won or lost. Exits with 4 if \
            the key has no value at the node, and prints the candidates all the same: the reader's \
            own default counts then, which the bus does not know. It exits with 4 too if policy hides \
            the place of the value from you. With --sites, \
            the candidates at the sites above follow: those that this bus's '/' reads.

            Example: cascadectl env explain mode --at /kitchen/oven
            """)

    @OptionGroup var watched: WatchOptions

    @Argument(help: "Name of the key.", completion: .keys, transform: EventName.argument)
    var key: EventName

    @OptionGroup var reader: ReaderOptions

    @Flag(help: "Candidates at the sites above, in addition.")
    var sites = false

    func validate() throws {
        try watched.expectOnce(forSites: sites)
    }

    func run() async throws {
        if sites {
            try await watched.bus.withBus { [key, reader, output = watched.output] bus in
                try output.conclude(try await bus.explanationOverSites(of: key, at: reader.at))
            }
            return
        }
        let subject = Query.Subject.explanation(key: key, path: reader.at)
        try await Inspection(watched).show(subject) { message, _ in
            try ShownDocument<ExplanationDocument>(message)
        } suggesting: { [key, reader] bus in
            let nearest = await bus.nearestKeys(
                to: key.description, at: reader.at.description)
            return nearest.isEmpty ? nil : "no value" + Spelling.question(nearest)
        }
    }
}

/// Runs a program with the environment of a node as variables.
struct EnvExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with a node's environment as variables.",
        usage: "cascadectl env exec <path> [<options>] -- <command> ...",
        discussion: """
            Variables are named after the keys, in upper case and with '_' for characters other \
            than letters and digits; strings are written without quotes, other values as JSON. \
            CASCADE_BUS and CASCADE_PATH contain the bus and the node. The command replaces this \
            process, so its exit status and signals are its own. Exits with 127 if the command \
            does not exist, and with 126 if it cannot be executed.

            Example: cascadectl env exec /kitchen -- printenv MODE
            """)

    @OptionGroup var bus: BusOptions

    @Argument(
        help: "Path of the node whose environment is read.", completion: .nodes,
        transform: NodePath.argument)
    var path: NodePath

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Command to run, after '--'.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("the command is missing; write it after '--'")
        }
    }

    func run() async throws {
        let program = try ProgramFile(command)
        let path = path
        let message = try await bus.withBus { bus in
            try await bus.link.query(.environment(path: path, key: nil))
        }
        var variables = EnvironmentVariables()
        variables.add("CASCADE_BUS", bus.endpoint)
        variables.add("CASCADE_PATH", path.description)
        for entry in try EnvironmentDocument(answer: message).values {
            let name = EnvironmentVariables.name(entry.key.description)
            if let value = entry.value, !variables.add(name, value.plainText) {
                Output.diagnostic(
                    "'\(entry.key)' is left out: it contains a NUL, or '\(name)' is already set")
            }
        }
        throw ProgramReplacement(program, variables).run()
    }
}

// MARK: - Setting

/// Sets values from outside.
struct EnvSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set values from outside the tree, either all or none.",
        discussion: """
            The bus keeps the values until they are unset, even if nodes attach and leave. A value \
            is JSON, so a string needs quotes: mode='"dark"'.

            Example: cascadectl env set mode='"dark"' size=12 --at /kitchen
            """)

    @OptionGroup var setting: SettingOptions

    @Argument(help: ArgumentHelp("Keys with their values.", valueName: "key=json"))
    var values: [String]

    // These have no effect: values that are set from outside include the node itself, and stay when
    // nodes leave. Scripts may have them.
    @Flag(name: .customLong("self"), help: .hidden)
    var isForItself = false

    @Flag(help: .hidden)
    var sticky = false

    func run() async throws {
        let settings = try values.map {
            try EnvironmentSetting(argument: $0, isForItself: isForItself, isSticky: sticky)
        }
        try settings.expectDistinctKeys()
        try await setting.set(settings, needsNode: true)
    }
}

/// Removes values that were set from outside.
struct EnvUnset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove values that are set at a path, either all or none.",
        discussion: """
            Example: cascadectl env unset mode size --at /kitchen
            """)

    @OptionGroup var setting: SettingOptions

    @Argument(help: "Names of the keys.", completion: .keys, transform: EventName.argument)
    var keys: [EventName]

    func run() async throws {
        try await setting.set(keys.map { EnvironmentSetting($0, nil) }, needsNode: false)
    }
}
