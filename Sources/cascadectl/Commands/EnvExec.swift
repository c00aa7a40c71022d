// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Runs a program with the environment of a node as variables.
struct EnvExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with what a node reads as variables.",
        usage: "cascadectl env exec <path> [<options>] -- <command> ...",
        discussion: """
            Keys are in upper case, with '_' for what is no letter or digit; strings are bare, \
            everything else is JSON. CASCADE_BUS and CASCADE_PATH say where from. The command \
            takes this program's place: its exit code and its signals are its own. Exits with 127 \
            if there is no such command, and with 126 if it cannot be run.
            """)

    @OptionGroup var bus: BusOptions

    @Argument(help: "The node that reads.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command; stands behind '--'.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("a command stands behind '--'")
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
                    "'\(entry.key)' is left out: it has a NUL, or '\(name)' is there already")
            }
        }
        throw ProgramReplacement(program, variables).run()
    }
}
