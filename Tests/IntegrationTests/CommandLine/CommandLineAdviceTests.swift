// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension CommandLineContract {
    /// Errors of wrong calls, which say what to write instead; and output that cannot be written.
    @FaultThread
    @Suite struct CommandLineAdviceTests {
        private nonisolated static let noJSON =
            "the payload is not JSON: expected a value at byte 1"
        private nonisolated static let form = "write ipc:///PATH or tcp://HOST:PORT"

        private nonisolated static let calls:
            [(arguments: [String], exitCode: Int32, error: String)] = [
                (
                    ["tree", "kitchen"], 64,
                    "the path 'kitchen' does not begin with /; write /kitchen"
                ),
                (
                    ["trigger", "/kitchen", "X"], 64,
                    "'/kitchen' is a path where a name is expected; write a path behind --from or --at"
                ),
                (
                    ["trigger", "X", "/kitchen"], 65,
                    "\(noJSON); write a path behind --from or --at, and a string as '\"…\"'"
                ),
                (["publish", "X", "seven"], 65, "\(noJSON); write a string as '\"…\"'"),
                (
                    ["trigger", "X", "@/dev/null"], 65,
                    "the payload in /dev/null is not JSON: it is empty; "
                        + "--raw CONTENT-TYPE sends bytes that are not JSON"
                ),
                (
                    ["trace", "123"], 64,
                    "'123' is not the ID of an event: 32 hexadecimal digits, a dash and a number, "
                        + "as 'trigger' and 'monitor' print it"
                ),
                (
                    ["--from", "/kitchen", "trigger", "X"], 64,
                    "'--from' is an option of 'trigger': write it behind the command"
                ),
                (
                    ["publish", "X", "--from", "/a"], 64,
                    "unknown option '--from'; did you mean '--at'?"
                ),
                (
                    ["trigger", "X", "--at", "/a"], 64,
                    "unknown option '--at'; did you mean '--from'?"
                ),
                (
                    ["attach", "/a", "--handle", "X", "sh", "-c", "true"], 64,
                    "Unknown option '-c'; write a command behind '--'"
                ),
                (["env", "mode"], 64, "unknown command 'env mode'; did you mean 'env get mode'?"),
                (
                    ["env", "mode=1"], 64,
                    "unknown command 'env mode=1'; did you mean 'env set mode=1'?"
                ),
                (
                    ["tree", "--bus", "/tmp/bus.sock"], 64,
                    "'/tmp/bus.sock' is not an endpoint: write ipc:///tmp/bus.sock"
                ),
                (["tree", "--bus", "nats://x"], 64, "'nats://x' is not an endpoint: \(form)"),
            ]

        @Test(arguments: calls)
        func `the error of a wrong call says what to write`(
            arguments: [String], exitCode: Int32, error: String
        ) throws {
            let ending = try SpawnedProgram("cascadectl", arguments, bus: "ipc:///none").end()
            #expect(ending.exitCode == exitCode)
            #expect(ending.output.bytes.isEmpty)
            let line = ending.diagnostics.text.split(separator: "\n").first
            #expect(line?.hasSuffix(error) == true, "\(ending.diagnostics.text)")
        }

        @Test func `the root cannot be detached, drained or deactivated`() throws {
            try FaultBus.open { bus in
                for (verb, words) in [
                    ("detach", "cannot be detached or drained"),
                    ("drain", "cannot be detached or drained"),
                    ("deactivate", "is always active"),
                ] {
                    let ending = try bus.run([verb, "/"])
                    #expect(ending.exitCode == 64, "\(verb)")
                    #expect(
                        ending.diagnostics.text.contains(
                            "the root / is the bus itself and \(words)"))
                }
            }
        }

        // MARK: - Output

        /// Starts `cascadectl` by a line of shell.
        private static func start(_ line: String, on bus: FaultBus) throws -> SpawnedProgram {
            let program = try SpawnedProgram.path(of: "cascadectl")
            return try SpawnedProgram(
                "/bin/sh", ["-c", "exec \"$1\" \(line)", "sh", program], bus: bus.endpoint)
        }

        @Test(arguments: ["tree", "tree --json", "dump", "metrics"])
        func `output to a full disk or a closed descriptor is an error`(command: String) throws {
            try FaultBus.open { bus in
                for (redirection, reason) in [
                    (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
                ] {
                    let ending = try Self.start("\(command) \(redirection)", on: bus).end()
                    #expect(ending.exitCode == 1, "\(redirection)")
                    #expect(
                        ending.diagnostics.text
                            == "cascadectl: cannot write to standard output: \(reason)\n")
                }
            }
        }

        @Test func `a worker whose output cannot be written says so once and continues`() throws {
            try FaultBus.open { bus in
                let node = try Self.start("attach /a --handle X >/dev/full", on: bus)
                try bus.wait("/a", "live")
                for _ in 1...2 {
                    #expect(try bus.trigger("X", ["--from", "/a"]).by == "/a")
                }
                node.signal(SIGTERM)
                let ending = try node.end()
                #expect(ending.exitCode == 0)
                #expect(
                    ending.diagnostics.text
                        == "cascadectl: cannot write to standard output: No space left on device\n")
            }
        }
    }
}
