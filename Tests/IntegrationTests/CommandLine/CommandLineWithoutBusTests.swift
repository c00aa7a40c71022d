// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineWithoutBusTests {
        private nonisolated static let commands: [[String]] = [
            [], ["list"], ["status"], ["subscribers", "Bell"], ["attach", "/a", "--handle", "X"],
            ["trigger", "X"], ["publish", "X"], ["activate", "/a"], ["deactivate", "/a"],
            ["wait", "/a"], ["ping"], ["report", "X"], ["request", "X"], ["cascade", "X"],
            ["publish", "--clear", "X"], ["move", "/a", "/b"], ["drain", "/a"], ["detach", "/a"],
            ["route", "X"], ["trace", "00000000000000000000000000000000-1"], ["undelivered"],
            ["under-way"],
            ["undelivered", "clear"], ["check"], ["monitor"], ["graph"], ["dump"], ["top"],
            ["env"], ["env", "get", "k"], ["env", "set", "k=1"], ["env", "unset", "k"],
            ["env", "watch"], ["env", "explain", "k"], ["env", "exec", "/", "--", "true"],
            ["rules"], ["preferences"], ["metrics"], ["reload"], ["tree", "--env", "k"],
            ["sites"], ["tree", "--sites"], ["list", "--site", "ulm"],
            ["monitor", "--site", "ulm"],
        ]

        @Test(arguments: commands)
        func `without a bus a command exits with 69 and says how to start one`(
            command: [String]
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            let ending = try SpawnedProgram("cascadectl", command, bus: endpoint).end()
            #expect(ending.exitCode == 69)
            #expect(ending.output.bytes.isEmpty)
            #expect(ending.diagnostics.text.contains("cascaded --listen \(endpoint)"))
        }

        @Test func `without a bus at a tcp endpoint a command exits with 69`() throws {
            let ending = try SpawnedProgram("cascadectl", ["ping"], bus: "tcp://127.0.0.1:1").end()
            #expect(ending.exitCode == 69)
            #expect(ending.diagnostics.text.contains("tcp://127.0.0.1:1"))
        }

        @Test(arguments: [
            ["ping"], ["status"], ["attach", "/a", "--handle", "X"], ["trigger", "X"],
        ])
        func `a transport on which no daemon serves is wrong usage`(command: [String]) throws {
            let ending = try SpawnedProgram("cascadectl", command, bus: "inproc://x").end()
            #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
            #expect(ending.diagnostics.text.contains("'inproc://x' is not an endpoint"))
        }

        @Test(arguments: [
            ["keygen", "key", "--name", "bad name"], ["keygen", "my till.key"],
            ["keygen", "key", "--name", "a/b"], ["keygen", "key", "--name", ""],
            ["monitor", "--path", "a"],
        ])
        func `a name of a key and a pattern of paths that cannot be used are wrong usage`(
            command: [String]
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let arguments = command.map { $0.hasSuffix("key") ? "\(directory)/\($0)" : $0 }
            let ending = try SpawnedProgram("cascadectl", arguments, bus: "ipc:///none").end()
            #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
        }

        @Test func `the version and the completion scripts need no bus`() throws {
            let version = try SpawnedProgram("cascadectl", ["version"], bus: "ipc:///none").end()
            #expect(version.exitCode == 0 && version.output.text.hasPrefix("cascadectl "))
            for shell in ["bash", "zsh", "fish"] {
                let script = try SpawnedProgram(
                    "cascadectl", ["completion", shell], bus: "ipc:///none"
                ).end()
                #expect(script.exitCode == 0 && script.output.text.contains("subscribers"))
            }
        }

        @Test(arguments: [
            ["attach", "/a", "--respond", "X", "--reply", "{"], ["env", "set", "k=dark"],
            ["env", "set", "a=1", "b="], ["attach", "/a", "--env", "k={"],
            ["attach", "/a", "--env-self", "k=01"], ["attach", "/a", "--prefer", "k=x:sum"],
        ])
        func `a reply or value that is not JSON exits with 65`(command: [String]) throws {
            let ending = try SpawnedProgram("cascadectl", command, bus: "ipc:///none").end()
            #expect(ending.exitCode == 65 && ending.output.bytes.isEmpty)
            #expect(ending.diagnostics.text.contains("is not JSON: "), "\(ending.diagnostics.text)")
        }

        @Test(arguments: [
            ["trigger", "A\nB"], ["trigger", "A", "--on-loss", "A\nB"],
            ["trigger", "A", "--on-loss=A\nB"], ["attach", "/a", "--transform", "A\nB"],
            ["trigger", "A", "1", "A\nB"],
        ])
        func `an error about an argument with a line feed is one line`(command: [String]) throws {
            let ending = try SpawnedProgram("cascadectl", command, bus: "ipc:///none").end()
            #expect(ending.exitCode == 64)
            let lines = ending.diagnostics.text.split(separator: "\n")
            #expect(lines[0].contains(#"A\nB"#), "\(lines)")
            #expect(lines.dropFirst().allSatisfy { !$0.hasPrefix("B") }, "\(lines)")
        }

        private nonisolated static let misuses: [[String]] = [
            ["tree", "no-path"], ["trigger", "no name"], ["trigger"],
            ["publish", "X", "--to", "some"],
            ["wait", "/a", "--timeout", "soon"],
            ["wait", String(repeating: "/a", count: 1025)], ["attach", "/a", "--throw", "x"],
            ["attach", "/a", "--handle", "X", "--delay", "long"],
            ["attach", "/a", "--subscribe", "*"], ["attach", "/a", "--transform", "X"],
            ["attach", "/a", "--stdio", "--", "true"], ["attach", "/a", "--concurrency", "0"],
            ["attach", "/a", "--handle", "X", "--throw", "x", "--throw", "y"],
            ["ping", "--count", "0"],
            ["tree", "--nonsense"], ["completion", "sh"],
            ["attach", "/a", "--when", "true"],
            ["attach", "/a", "--subscribe", "X", "--when", "a"],
            ["attach", "/a", "--handle", "X", "--reply", "1"], ["attach", "/a", "--catch", "X"],
            ["attach", "/a", "--safety", "some"], ["attach", "/a", "--relation", "distant"],
            ["attach", "/a", "--policy", "none"], ["attach", "/a", "--triggers", "*"],
            ["trigger", "X", "--hold", "long"], ["publish"], ["publish", "X", "--clear", "X"],
            ["publish", "--clear", "X", "--retain"], ["monitor", "--kind", "event,gossip"],
            ["trace", "1"], ["undelivered", "show", "1"], ["undelivered", "forget"],
            ["check", "--format", "xml"], ["graph", "--format", "png"], ["move", "/a"],
            ["tree", "--watch", "--dump", "x"], ["route", "X", "--lane", "publication"],
            ["env", "get"], ["env", "get", "a key"], ["env", "get", "k", "--at", "a"],
            ["env", "set"], ["env", "set", "k"], ["env", "set", "=1"], ["env", "set", "a b=1"],
            ["env", "unset"], ["env", "exec", "/"], ["env", "exec", "/", "true"],
            ["attach", "/a", "--env", "k"], ["attach", "/a", "--env-self", "*=1"],
            ["attach", "/a", "--watch-env", "*"], ["attach", "/a", "--watch-preference", "a b"],
            ["attach", "/a", "--prefer", "k=1"], ["attach", "/a", "--prefer", "k=1:product"],
            ["attach", "/a", "--prefer", "k:sum"], ["tree", "--env", "k", "--units"],
            ["rules", "check"], ["preferences", "here"],
        ]

        @Test(arguments: misuses)
        func `a usage error exits with 64`(command: [String]) throws {
            let ending = try SpawnedProgram("cascadectl", command, bus: "ipc:///none").end()
            #expect(ending.exitCode == 64, "\(ending.diagnostics.text)")
            #expect(ending.output.bytes.isEmpty)
            #expect(!ending.diagnostics.bytes.isEmpty)
        }
    }
}
