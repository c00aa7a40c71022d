// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A bus on which one shell example is run by a shell.
@FaultThread
struct ShellBus {
    let bus: FaultBus
    let command: String

    /// Starts the example, or another command in its place.
    func start(_ other: String? = nil) throws -> SpawnedProgram {
        let words = other ?? command
        let programs = try SpawnedProgram.directory().path
        // The program replaces the shell where there is one, so that signals reach it.
        let exec = words.hasPrefix("kill") ? "" : "exec "
        return try SpawnedProgram(
            "/bin/sh", ["-c", "PATH=\"\(programs):$PATH\"; \(exec)\(words)"], bus: bus.endpoint)
    }

    /// Runs the example until it exits.
    func run() throws -> SpawnedProgram.Ending {
        try start().end()
    }

    /// Starts the example, which attaches a node.
    func attach() throws -> SpawnedProgram {
        let program = try start()
        let line = try program.output.line(containing: "\"attached\"")
        try #require(line != nil, "\(program.diagnostics.text)")
        return program
    }

    /// A node that the example needs.
    func node(_ path: String, _ options: String...) throws -> SpawnedProgram {
        try bus.attach(path, options)
    }

    /// The outcome printed by a command.
    func outcome(_ arguments: String...) throws -> JSONText {
        try bus.run(arguments + ["--json"]).document()
    }
}
