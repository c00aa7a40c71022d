// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// Shows the bus in a browser: becomes `cascade-console`.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Show the bus live in a browser.",
        usage: "cascadectl console [<options>] [-- <options of cascade-console> ...]",
        discussion: """
            Starts cascade-console, a package of its own, with --open. Exits with 127 if it is not \
            installed.

            Example: cascadectl console -- --allow-actions=retry
            """)

    private static let program = "cascade-console"

    @OptionGroup var bus: BusOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Options of cascade-console, after '--'.", valueName: "options"))
    var options: [String] = []

    func run() async throws {
        var words = [Self.program, "--open"]
        if let endpoint = bus.bus {
            words += ["--bus", endpoint]
        }
        // The keys are not among the arguments, which all users of the machine can read.
        var variables = EnvironmentVariables()
        if let key = bus.serverKey, let file = bus.keyFile {
            variables.add("CASCADE_SERVER_KEY", key)
            variables.add("CASCADE_KEY_FILE", file)
        }
        let file: ProgramFile
        do {
            file = try ProgramFile(words + options)
        } catch let stop as Stop where stop.status == .notFound {
            throw Stop(
                .notFound, "cannot find \(Self.program); install the package \(Self.program)")
        }
        throw ProgramReplacement(file, variables).run()
    }
}
