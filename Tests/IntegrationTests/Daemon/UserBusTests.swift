// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// `cascaded --user`, and the programs that find it, without `XDG_RUNTIME_DIR`.
    @FaultThread
    @Suite(
        .enabled(if: access("/run/cascade/bus.sock", F_OK) != 0, "requires no system bus"))
    struct UserBusTests {
        private let program: DaemonProgram

        init() throws {
            program = try DaemonProgram()
        }

        /// The words before a program of a user without a runtime directory.
        private var words: [String] {
            [
                "-u", "CASCADE_BUS", "-u", "XDG_RUNTIME_DIR", "-u", "XDG_STATE_HOME",
                "TMPDIR=\(program.directory)", "HOME=\(program.directory)/user",
            ]
        }

        private var busDirectory: String {
            "\(program.directory)/cascade-\(geteuid())"
        }

        private func start(_ name: String, _ arguments: [String] = []) throws -> SpawnedProgram {
            try SpawnedProgram(
                "/usr/bin/env", words + [try SpawnedProgram.path(of: name)] + arguments, bus: "")
        }

        private func run(
            _ name: String, _ arguments: [String] = []
        ) throws -> SpawnedProgram.Ending {
            try start(name, arguments).end()
        }

        private func mode(of path: String) -> mode_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
        }

        private func stop(_ programs: SpawnedProgram...) throws {
            for program in programs {
                program.signal(SIGTERM)
                #expect(try program.end().exitCode == 0)
            }
        }

        @Test func `daemon, worker and command line meet in a private directory`() throws {
            defer { program.remove() }
            let daemon = try start("cascaded", ["--user"])
            let worker = try start("kitchen")
            #expect(try worker.diagnostics.line(containing: "attached /kitchen") != nil)
            let tree = try run("cascadectl", ["tree"])
            #expect(tree.exitCode == 0 && tree.output.text.contains("kitchen"))
            #expect(mode(of: busDirectory) == 0o700)
            try stop(worker, daemon)
        }

        @Test func `durable events are kept in the user's state directory, over a kill`() throws {
            defer { program.remove() }
            let state = "\(program.directory)/user/.local/state/cascade"
            let first = try start("cascaded", ["--user"])
            _ = try first.diagnostics.line(containing: "serving")
            #expect(mode(of: state) == 0o700)
            let node = try start("cascadectl", ["attach", "/shop", "--handle", "Other"])
            try wait("/shop", for: "live")
            let trigger = [
                "trigger", "CoalOrdered", #"{"kilos":20}"#, "--from", "/shop", "--durable",
                "--no-wait",
            ]
            let triggered = try run("cascadectl", trigger)
            #expect(triggered.exitCode == 0, "\(triggered.diagnostics.text)")
            node.kill()
            first.kill()
            #expect(try first.end().exitCode == nil)
            let second = try start("cascaded", ["--user"])
            _ = try second.diagnostics.line(containing: "serving")
            let handler = try start("cascadectl", ["attach", "/shop", "--handle", "CoalOrdered"])
            #expect(try handler.output.line(containing: "CoalOrdered") != nil)
            try stop(handler, second)
        }

        @Test func `without a home the bus serves, and says that events are not durable`() throws {
            defer { program.remove() }
            let daemon = try SpawnedProgram(
                "/usr/bin/env",
                words + [
                    "HOME=/proc/nonexistent", try SpawnedProgram.path(of: "cascaded"), "--user",
                ],
                bus: "")
            #expect(
                try daemon.diagnostics.line(containing: "durable events are refused") != nil)
            #expect(try daemon.diagnostics.line(containing: "serving") != nil)
            try stop(daemon)
        }

        @Test func `a directory with another mode is a wrong configuration for all programs`()
            throws
        {
            defer { program.remove() }
            mkdir(busDirectory, 0o755)
            chmod(busDirectory, 0o755)
            for (name, arguments) in [
                ("cascaded", ["--user"]), ("cascadectl", ["tree"]), ("kitchen", []),
            ] {
                let ending = try run(name, arguments)
                #expect(ending.exitCode == 78, "\(name)")
                #expect(ending.diagnostics.text.contains("chmod 0700"), "\(name)")
            }
        }

        @Test(
            .enabled(if: OtherUser.isPossible, "requires root to create another user's directory"))
        func `another user's directory is a wrong configuration for all programs`() throws {
            defer { program.remove() }
            mkdir(busDirectory, 0o700)
            chown(busDirectory, OtherUser.userID, OtherUser.userID)
            for (name, arguments) in [
                ("cascaded", ["--user"]), ("cascadectl", ["tree"]), ("kitchen", []),
            ] {
                let ending = try run(name, arguments)
                #expect(ending.exitCode == 78, "\(name)")
                #expect(
                    ending.diagnostics.text.contains("belongs to user \(OtherUser.userID)"),
                    "\(name)")
            }
        }

        private func wait(_ path: String, for state: String) throws {
            let ending = try run(
                "cascadectl", ["wait", path, "--state", state, "--timeout", "20s"])
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }
}
