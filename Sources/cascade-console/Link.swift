// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeConsole
import Glibc

/// Prints a fresh link of a console that runs.
struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a fresh link of a console that runs.",
        discussion: """
            The console hands it out over its Unix socket to its own user and to root. A link opens one \
            session. Exits with 69 if no console serves the socket, and with 77 if it refuses.
            """)

    @Option(
        help: ArgumentHelp(
            "Unix socket of the console; otherwise cascade/console.sock in XDG_RUNTIME_DIR.",
            valueName: "path"))
    var socket: String?

    func run() throws {
        guard let path = socket ?? ConsoleLink.standardSocket else {
            throw ValidationError("XDG_RUNTIME_DIR is not set: name the socket with --socket")
        }
        do {
            print(try ConsoleLink.fresh(from: path))
        } catch let fault as ConsoleLink.Fault {
            Diagnostic.print("\(fault)")
            if case .refused = fault {
                throw ExitCode(EX_NOPERM)
            }
            throw ExitCode(EX_UNAVAILABLE)
        }
    }
}
