// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Faults {
    /// Workers with a faulty configuration, which a service manager must not restart.
    @FaultThread
    @Suite struct BadConfigurationTests {
        @Test(
            arguments: ["kitchen", "alert-console"],
            [
                (["CASCADE_NODE=/a b"], "CASCADE_NODE: a component of the path '/a b'"),
                (["CASCADE_NODE=//"], "CASCADE_NODE: "),
                (["CASCADE_BUS=nonsense"], "'nonsense' is not an endpoint: write ipc:///PATH"),
                (
                    ["CASCADE_BUS=nowhere://x"],
                    "'nowhere://x' is not an endpoint: write ipc:///PATH"
                ),
                (
                    ["CASCADE_BUS=tcp://127.0.0.1:1", "CASCADE_SERVER_KEY=short"],
                    "CASCADE_SERVER_KEY is set, but the worker's own key is missing"
                ),
            ])
        func `a worker with a faulty configuration prints an error and exits with 78`(
            program: String, fault: (variables: [String], error: String)
        ) throws {
            let ending = try start(program, fault.variables).end()
            #expect(ending.exitCode == 78, "\(fault.variables): \(ending.diagnostics.text)")
            #expect(ending.diagnostics.text.contains(fault.error), "\(ending.diagnostics.text)")
        }

        @Test func `a worker whose path the bus refuses exits with 78`() throws {
            try FaultBus.open { bus in
                let path = String(repeating: "/a", count: 2_000)
                let ending = try start(
                    "kitchen", ["CASCADE_NODE=\(path)", "CASCADE_BUS=\(bus.endpoint)"]
                ).end()
                #expect(ending.exitCode == 78, "\(ending.diagnostics.text)")
            }
        }

        @Test func `a worker whose path is taken exits with 1`() throws {
            try FaultBus.open { bus in
                let holder = try bus.attach("/kitchen", ["--handle", "X"])
                let ending = try start("kitchen", ["CASCADE_BUS=\(bus.endpoint)"]).end()
                #expect(ending.exitCode == 1, "\(ending.diagnostics.text)")
                #expect(ending.diagnostics.text.contains("process \(holder.processID)"))
            }
        }

        @Test func `the unit of workers does not restart a worker with a faulty configuration`()
            throws
        {
            // This file is Tests/IntegrationTests/Faults/Processes/…: the root is five up.
            let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
                url.deletingLastPathComponent()
            }
            let unit = try String(
                contentsOf: root.appending(path: "deploy/systemd/cascade-worker@.service"),
                encoding: .utf8)
            let line = unit.split(separator: "\n").first {
                $0.hasPrefix("RestartPreventExitStatus=")
            }
            let codes = line?.split(separator: "=").last?.split(separator: " ") ?? []
            #expect(codes == ["64", "78", "126", "127"])
        }

        private func start(_ program: String, _ variables: [String]) throws -> SpawnedProgram {
            let path = try SpawnedProgram.path(of: program)
            return try SpawnedProgram("/usr/bin/env", variables + [path], bus: "")
        }
    }
}
