// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A worker in another language: the Python package, which was written from Protocol.md alone.
@Suite(.timeLimit(.minutes(1))) struct PythonWorkerTests {
    private static let python = URL(filePath: "/usr/bin/python3")

    @Test func `the Python codec encodes and decodes the examples of Protocol.md`() async throws {
        let tests = try Self.script("test_cascade_wire.py", [])
        try await tests.line(with: "OK")
        #expect(await tests.exitCode() == 0)
    }

    // The oven stands below the kitchen and triggers an event for each event it handles.
    @Test func `a worker in Python handles an event and triggers one at its parent`() async throws {
        try await Self.withBus { bus in
            let arguments = ["attach", "/kitchen", "--handle", "OvenHot"]
            try await Self.program("cascadectl", arguments, bus: bus).use { kitchen in
                try await kitchen.line(with: #""lane":"attached""#)
                let oven = try Self.worker(
                    bus, "/kitchen/oven", ["--handle", "OrderReady", "--trigger", "OvenHot"])
                try await oven.use { oven in
                    try await oven.line(with: #""what": "attached""#, #""/kitchen/oven""#)
                    try await Self.order(table: 4, on: bus, oven, kitchen)
                    try await Self.order(table: 5, on: bus, oven, kitchen)
                }
                try await oven.line(with: #""what": "detached""#, "the node has left")
            }
        }
    }

    @Test func `a worker in Python answers the request of another, with its cause`() async throws {
        try await Self.withBus { bus in
            let kitchen = try Self.worker(bus, "/kitchen", ["--answer", "TimeLeft"])
            try await kitchen.use { kitchen in
                try await kitchen.line(with: #""what": "attached""#)
                let oven = try Self.worker(
                    bus, "/kitchen/oven", ["--handle", "OrderReady", "--request", "TimeLeft"])
                try await oven.use { oven in
                    try await oven.line(with: #""what": "attached""#)
                    let outcome = try Self.trigger("OrderReady", on: bus)
                    try await outcome.line(with: #""outcome":"handled""#)
                    try await oven.line(with: #""lane": "event""#, #""causes": 0"#)
                    try await kitchen.line(
                        with: #""lane": "request""#, #""name": "TimeLeft""#, #""causes": 1"#)
                    try await oven.line(
                        with: #""what": "reply""#, #""reply": "{\"table\":4}""#)
                }
            }
        }
    }

    @Test func `an error thrown by a worker in Python is handled by its parent`() async throws {
        try await Self.withBus { bus in
            let kitchen = try Self.worker(
                bus, "/kitchen", ["--handle", "OrderReady", "--handle-error", "OutOfPlates"])
            try await kitchen.use { kitchen in
                try await kitchen.line(with: #""what": "attached""#)
                let oven = try Self.worker(
                    bus, "/kitchen/oven", ["--handle", "OrderReady", "--throw", "OutOfPlates"])
                try await oven.use { oven in
                    try await oven.line(with: #""what": "attached""#)
                    let outcome = try Self.trigger("OrderReady", on: bus)
                    try await outcome.line(
                        with: #""outcome":"caught""#, #""by":"/kitchen""#, #""OutOfPlates""#)
                    try await kitchen.line(
                        with: #""lane": "error""#, #""kind": "handle_error""#,
                        #""node": "/kitchen/oven""#, #"\"table\":4}"#)
                }
            }
        }
    }

    @Test func `a worker in Python observes and handles an event in one visit`() async throws {
        try await Self.withBus { bus in
            let oven = try Self.worker(
                bus, "/kitchen/oven", ["--observe", "*", "--handle", "OrderReady"])
            try await oven.use { oven in
                try await oven.line(with: #""what": "attached""#)
                let outcome = try Self.trigger("OrderReady", on: bus)
                try await outcome.line(with: #""outcome":"handled""#, #""by":"/kitchen/oven""#)
                try await oven.line(with: #""kind": "observe""#)
                try await oven.line(with: #""kind": "handle""#)
            }
        }
    }

    /// Triggers an event for the oven, and expects the visits of both workers.
    private static func order(
        table: Int, on bus: String, _ oven: LineProgram, _ kitchen: LineProgram
    ) async throws {
        let trigger = try trigger("OrderReady", table: table, on: bus)
        try await trigger.line(with: #""outcome":"handled""#, #""by":"/kitchen/oven""#)
        #expect(await trigger.exitCode() == 0)
        try await oven.line(with: #""name": "OrderReady""#, #"\"table\":\#(table)}"#)
        try await kitchen.line(
            with: #""name":"OvenHot""#, #""origin":"/kitchen/oven""#, #"{"table":\#(table)}"#)
        try await oven.line(
            with: #""what": "outcome""#, #""outcome": "handled""#, #""by": "/kitchen""#)
    }

    // MARK: - Programs

    /// Runs a daemon for the duration of a test.
    private static func withBus(_ test: @Sendable (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "python-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let bus = "ipc://\(directory.path)/bus.sock"
        try await program("cascaded", ["--listen", bus], bus: bus).use { daemon in
            try await daemon.line(with: "serving")
            try await test(bus)
        }
    }

    /// Triggers an event from the oven's path.
    private static func trigger(
        _ name: String, table: Int = 4, on bus: String
    ) throws -> LineProgram {
        try program(
            "cascadectl",
            [
                "trigger", name, #"{"table":\#(table)}"#, "--from", "/kitchen/oven", "--json",
            ], bus: bus)
    }

    private static func worker(
        _ bus: String, _ path: String, _ options: [String]
    ) throws -> LineProgram {
        try script("package_worker.py", [bus, path] + options)
    }

    private static func program(
        _ name: String, _ arguments: [String], bus: String
    ) throws -> LineProgram {
        try LineProgram(
            LineProgram.built(name), arguments, environment: ["CASCADE_BUS": bus])
    }

    /// A script in the folder `Python`.
    private static func script(
        _ name: String, _ arguments: [String], of file: String = #filePath
    ) throws -> LineProgram {
        let script = URL(filePath: file).deletingLastPathComponent()
            .appending(path: "Python").appending(path: name)
        return try LineProgram(
            python, [script.path] + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    }
}
