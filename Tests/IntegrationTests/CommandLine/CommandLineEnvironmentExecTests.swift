// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Programs that do not use the bus themselves.
    @FaultThread
    @Suite struct CommandLineEnvironmentExecTests {
        @Test func `a command gets strings as text variables, and other values as JSON`() throws {
            try FaultBus.open { bus in
                _ = try bus.run([
                    "env", "set", #"printer.paper-size="A 4""#, "copies=2", "on=true",
                    #"list=[1,"b"]"#, "nothing=null", "--at", "/shop",
                ])
                let ending = try exec(
                    bus,
                    """
                    echo "$PRINTER_PAPER_SIZE|$COPIES|$ON|$LIST|$NOTHING|$CASCADE_PATH|$CASCADE_BUS"
                    """)
                #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
                #expect(
                    ending.output.text
                        == "A 4|2|true|[1,\"b\"]|null|/shop|\(bus.endpoint)\n")
            }
        }

        @Test func `the command keeps its exit status, arguments and input`() throws {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "k=1", "--at", "/shop"])
                #expect(try exec(bus, "exit 42").exitCode == 42)
                let program = try bus.start(
                    [
                        "env", "exec", "/shop", "--", "sh", "-c", "read line; echo \"$line$1\"",
                        "x", "a b",
                    ])
                program.write(line: "in")
                #expect(try program.end().output.text == "ina b\n")
            }
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `signals reach the command unchanged`(number: Int32) throws {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "k=1", "--at", "/shop"])
                let trapping = try bus.start([
                    "env", "exec", "/shop", "--", "sh", "-c",
                    "trap 'echo caught \(SIGTERM); exit 9' TERM; trap 'echo caught \(SIGINT); exit 9' INT; "
                        + "echo ready; while :; do read line; done",
                ])
                #expect(try trapping.output.line(containing: "ready") != nil)
                trapping.signal(number)
                let ending = try trapping.end()
                #expect(ending.exitCode == 9 && ending.output.text == "ready\ncaught \(number)\n")
                let plain = try bus.start([
                    "env", "exec", "/shop", "--", "sh", "-c", "echo ready; exec sleep 60",
                ])
                #expect(try plain.output.line(containing: "ready") != nil)
                plain.signal(number)
                #expect(try plain.end().exitCode == nil)
            }
        }

        @Test
        func `missing commands exit with 127, non-executable files with 126, missing nodes with 4`()
            throws
        {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", #"path="/nowhere""#, "--at", "/shop"])
                let absent = try bus.run(["env", "exec", "/shop", "--", "no-such-command"])
                #expect(absent.exitCode == 127)
                #expect(absent.diagnostics.text.contains("no-such-command"))
                let file = bus.directory + "/no-program"
                try Data("text".utf8).write(to: URL(filePath: file))
                #expect(try bus.run(["env", "exec", "/shop", "--", file]).exitCode == 126)
                #expect(try bus.run(["env", "exec", "/nowhere", "--", "true"]).exitCode == 4)
                // The command is found by the caller's PATH, and gets the variable.
                let path = try bus.run(
                    ["env", "exec", "/shop", "--", "sh", "-c", "echo $PATH"])
                #expect(path.output.text == "/nowhere\n")
            }
        }

        @Test
        func `the first of two keys with one variable is used, and a warning names the other`()
            throws
        {
            try FaultBus.open { bus in
                _ = try bus.run(["env", "set", "a.b=1", "a_b=2", "--at", "/shop"])
                let ending = try exec(bus, "echo $A_B")
                #expect(ending.output.text == "1\n")
                #expect(ending.diagnostics.text.contains("'a_b' is left out"))
            }
        }

        private func exec(_ bus: FaultBus, _ script: String) throws -> SpawnedProgram.Ending {
            try bus.run(["env", "exec", "/shop", "--", "sh", "-c", script])
        }
    }
}
