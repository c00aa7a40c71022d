// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// The formats and levels of the log.
    @FaultThread
    @Suite struct LogTests {
        @Test func `prefixed lines begin with systemd's priority`() throws {
            try FaultBus.open(["--log-format", "prefixed"]) { bus in
                #expect(bus.daemon.diagnostics.text.contains("<6>serving "))
                let node = try bus.attach("/brief", ["--handle", "X"])
                node.kill()
                _ = try node.end()
                let line = try bus.daemon.diagnostics.line(containing: "/brief lost")
                #expect(line?.hasPrefix("<4>") == true, "\(line ?? "")")
            }
        }

        @Test func `a daemon that is told to use libzmq on unix sockets warns of it`() throws {
            try FaultBus.open(["--transport", "libzmq", "--log-format", "prefixed"]) { bus in
                let line = try bus.daemon.diagnostics.anyLine(
                    containing: "libzmq serves the unix sockets")
                #expect(line?.hasPrefix("<4>") == true, "\(line ?? "")")
            }
            try FaultBus.open(["--transport", "builtin"]) { bus in
                #expect(!bus.daemon.diagnostics.text.contains("libzmq"))
            }
        }

        @Test func `a log level suppresses lower levels`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let daemon = try program.start([
                "--listen", "ipc://\(program.directory)/bus.sock", "--log-level", "error",
            ])
            try Patience.until("the socket is there") {
                access(program.directory + "/bus.sock", F_OK) == 0
            }
            try Patience.until("SIGTERM is waited for") { try daemon.isCatching(SIGTERM) }
            daemon.signal(SIGTERM)
            let ending = try daemon.end()
            #expect(ending.exitCode == 0)
            #expect(ending.diagnostics.text.isEmpty)
        }

        @Test func `a JOURNAL_STREAM other than standard error is ignored`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let ending = try program.run(
                ["--listen", "ipc:///nowhere/at/all/bus.sock"], variables: ["JOURNAL_STREAM=1:2"])
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains(" critical cascaded: "))
        }
    }
}
