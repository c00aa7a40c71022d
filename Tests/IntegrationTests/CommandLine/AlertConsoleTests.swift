// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The example program that shows alertable errors.
@FaultThread
@Suite struct AlertConsoleTests {
    @Test func `the console shows an error with a title, and an error without one fails`() throws {
        try FaultBus.open { bus in
            let console = try SpawnedProgram(
                "alert-console", ["--at", "/shop"], bus: bus.endpoint)
            try bus.run(["wait", "/shop", "--timeout", "20s"]).expectSuccess()
            let report = [
                "report", "PaperJam", "--title", "Paper jam", "--message", "tray 2", "--from",
                "/shop",
            ]
            try bus.run(report).expectSuccess()
            let line = try #require(try console.output.line(containing: "Paper jam"))
            #expect(line.contains("tray 2"))
            let plain = try bus.run(["report", "Worn", "--from", "/shop"])
            #expect(plain.exitCode == 10)
            console.signal(SIGTERM)
            #expect(try console.end().exitCode == 0)
        }
    }
}
