// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

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
        for entry in ValuesDocument(json: try JSONValue(answer: message)).values {
            let name = EnvironmentVariables.name(entry.key)
            if !variables.add(name, entry.value.plainText) {
                Output.diagnostic(
                    "'\(entry.key)' is left out: it contains a NUL, or '\(name)' is already set")
            }
        }
        throw ProgramReplacement(program, variables).run()
    }
}
