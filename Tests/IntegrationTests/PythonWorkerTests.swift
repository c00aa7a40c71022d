// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A worker that was written from Protocol.md alone, in another language, is a worker like any
/// other.
@Suite(.timeLimit(.minutes(1))) struct PythonWorkerTests {
    private static let python = URL(filePath: "/usr/bin/python3")

    @Test("The codec in Python writes and reads the examples of Protocol.md")
    func codec() async throws {
        let tests = try Self.script("test_cascade_wire.py", [])
        try await tests.line(with: "OK")
        #expect(await tests.exitCode() == 0)
    }

    // The oven stands below the kitchen, and triggers an event of its own for each that it handles.
    @Test("A worker in Python handles an event, and what it triggers reaches the node above it")
    func conversation() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "python-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let bus = "ipc://\(directory.path)/bus.sock"

        try await Self.program("cascaded", ["--listen", bus], bus: bus).use { daemon in
            try await daemon.line(with: "serving")
            let arguments = ["attach", "/kitchen", "--handle", "OvenHot"]
            try await Self.program("cascadectl", arguments, bus: bus).use { kitchen in
                try await kitchen.line(with: #""lane":"attached""#)
                let arguments = [bus, "/kitchen/oven", "OrderReady", "OvenHot"]
                let oven = try Self.script("cascade_worker.py", arguments)
                try await oven.use { oven in
                    try await oven.line(with: #""what": "attached""#, #""/kitchen/oven""#)
                    try await Self.order(table: 4, on: bus, oven, kitchen)
                    try await Self.order(table: 5, on: bus, oven, kitchen)
                }
                try await oven.line(with: #""what": "detached""#, "the node has left")
            }
        }
    }

    /// Triggers what the oven handles, and expects both to get what is theirs.
    private static func order(
        table: Int, on bus: String, _ oven: LineProgram, _ kitchen: LineProgram
    ) async throws {
        let trigger = try program(
            "cascadectl",
            [
                "trigger", "OrderReady", #"{"table":\#(table)}"#, "--from", "/kitchen/oven",
                "--json",
            ], bus: bus)
        try await trigger.line(with: #""outcome":"handled""#, #""by":"/kitchen/oven""#)
        #expect(await trigger.exitCode() == 0)
        try await oven.line(with: #""name": "OrderReady""#, #"\"table\":\#(table)}"#)
        try await kitchen.line(
            with: #""name":"OvenHot""#, #""origin":"/kitchen/oven""#, #"{"table":\#(table)}"#)
        try await oven.line(
            with: #""what": "outcome""#, #""outcome": "handled""#, #""by": "/kitchen""#)
    }

    // MARK: - Programs

    private static func program(
        _ name: String, _ arguments: [String], bus: String
    ) throws -> LineProgram {
        try LineProgram(
            LineProgram.built(name), arguments, environment: ["CASCADE_BUS": bus])
    }

    /// A script of the folder `Python` beside this file.
    private static func script(
        _ name: String, _ arguments: [String], of file: String = #filePath
    ) throws -> LineProgram {
        let script = URL(filePath: file).deletingLastPathComponent()
            .appending(path: "Python").appending(path: name)
        return try LineProgram(
            python, [script.path] + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    }
}
