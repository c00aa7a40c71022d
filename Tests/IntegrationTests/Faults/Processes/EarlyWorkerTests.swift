// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(
        .enabled(if: access("/run/cascade/bus.sock", F_OK) != 0, "requires no system bus"))
    struct EarlyWorkerTests {
        @Test func `a worker without CASCADE_BUS attaches to a user's bus that starts later`()
            throws
        {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            func start(_ name: String, _ arguments: [String] = []) throws -> SpawnedProgram {
                let words = [
                    "-u", "CASCADE_BUS", "XDG_RUNTIME_DIR=\(folder)", "XDG_STATE_HOME=\(folder)",
                ]
                let program = try SpawnedProgram.path(of: name)
                return try SpawnedProgram("/usr/bin/env", words + [program] + arguments, bus: "")
            }
            let worker = try start("kitchen")
            try Patience.until("it looks for a bus") { try hasLink(worker) }
            #expect(
                try worker.diagnostics.line(
                    containing: "no bus at ipc:///run/cascade/bus.sock; waiting for it") != nil)
            let daemon = try start("cascaded", ["--user"])
            #expect(try worker.diagnostics.line(containing: "attached /kitchen") != nil)
            for program in [worker, daemon] {
                program.signal(SIGTERM)
                #expect(try program.end().exitCode == 0)
            }
        }

        /// Whether the thread that connects exists.
        private func hasLink(_ program: SpawnedProgram) throws -> Bool {
            let tasks = "/proc/\(program.processID)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
                (try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)) == "link\n"
            }
        }
    }
}
