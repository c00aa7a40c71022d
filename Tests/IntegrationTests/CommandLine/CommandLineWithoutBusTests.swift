// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineWithoutBusTests {
        private nonisolated static let commands: [[String]] = [
            [], ["list"], ["status"], ["subscribers", "Bell"], ["attach", "/a", "--handle", "X"],
            ["trigger", "X"], ["publish", "X"], ["activate", "/a"], ["deactivate", "/a"],
            ["wait", "/a"], ["ping"],
        ]

        @Test(
            "Without a bus a command ends at once, and says how to start one", arguments: commands)
        func noBus(command: [String]) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            let ending = try SpawnedProgram("cascadectl", command, bus: endpoint).end()
            #expect(ending.exitCode == 69)
            #expect(ending.output.bytes.isEmpty)
            #expect(ending.diagnostics.text.contains("cascaded --listen \(endpoint)"))
        }

        @Test("Over tcp, too, it is known at once that nobody is there")
        func noBusOverNetwork() throws {
            let ending = try SpawnedProgram("cascadectl", ["ping"], bus: "tcp://127.0.0.1:1").end()
            #expect(ending.exitCode == 69)
            #expect(ending.diagnostics.text.contains("tcp://127.0.0.1:1"))
        }

        @Test("The version needs no bus, and neither does a completion")
        func offline() throws {
            let version = try SpawnedProgram("cascadectl", ["version"], bus: "ipc:///none").end()
            #expect(version.exitCode == 0 && version.output.text.hasPrefix("cascadectl "))
            for shell in ["bash", "zsh", "fish"] {
                let script = try SpawnedProgram(
                    "cascadectl", ["completion", shell], bus: "ipc:///none"
                ).end()
                #expect(script.exitCode == 0 && script.output.text.contains("subscribers"))
            }
        }

        private nonisolated static let misuses: [[String]] = [
            ["tree", "no-path"], ["trigger", "no name"], ["trigger"],
            ["publish", "X", "--to", "some"],
            ["wait", "/a", "--timeout", "soon"], ["attach", "/a", "--throw", "x"],
            ["attach", "/a", "--handle", "X", "--delay", "long"],
            ["attach", "/a", "--subscribe", "*"], ["attach", "/a", "--transform", "X"],
            ["attach", "/a", "--stdio", "--", "true"], ["attach", "/a", "--concurrency", "0"],
            ["attach", "/a", "--handle", "X", "--throw", "x", "--throw", "y"],
            ["ping", "--count", "0"],
            ["tree", "--nonsense"], ["completion", "sh"],
        ]

        @Test("Wrong usage is told apart from everything else", arguments: misuses)
        func misuse(command: [String]) throws {
            let ending = try SpawnedProgram("cascadectl", command, bus: "ipc:///none").end()
            #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
            #expect(ending.output.bytes.isEmpty)
        }
    }
}
