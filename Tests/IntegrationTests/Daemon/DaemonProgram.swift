// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `cascaded` with an environment and files of a test's own.
@FaultThread
struct DaemonProgram {
    let directory: String

    init() throws {
        directory = try FaultBus.makeDirectory()
    }

    func remove() {
        FaultBus.removeDirectory(directory)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let url = URL(filePath: directory + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    func start(_ arguments: [String], variables: [String] = []) throws -> SpawnedProgram {
        let program = try SpawnedProgram.directory().appending(path: "cascaded").path
        return try SpawnedProgram("/usr/bin/env", variables + [program] + arguments, bus: "")
    }

    func run(
        _ arguments: [String], variables: [String] = []
    ) throws -> SpawnedProgram.Ending {
        try start(arguments, variables: variables).end()
    }

    /// The output of `--print-config` without comments.
    func settings(_ arguments: [String], variables: [String] = []) throws -> [String: String] {
        let ending = try run(arguments + ["--print-config"], variables: variables)
        try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        let lines = ending.output.text.split(separator: "\n").map { line in
            line.split(separator: "#", maxSplits: 1)[0].split(separator: ":", maxSplits: 1)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in
            first
        }
    }
}
