// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// The locks of endpoints, and the processes that hold them.
    @FaultThread
    @Suite struct EndpointLockTests {
        @Test func `a second daemon is refused each endpoint of the first`() throws {
            try FaultBus.open(["--listen", "ipc://" + Self.otherSocket]) { bus in
                defer { unlink(Self.otherSocket + ".lock") }
                let program = try DaemonProgram()
                defer { program.remove() }
                let ending = try program.run([
                    "--listen", "ipc://\(program.directory)/bus.sock", "ipc://" + Self.otherSocket,
                ])
                #expect(ending.exitCode == 1)
                let words = ending.diagnostics.text
                #expect(words.contains("cascaded (process \(bus.daemon.processID) of user"))
                #expect(words.contains(Self.otherSocket))
                let status = try SpawnedProgram(
                    "cascadectl", ["status"], bus: "ipc://" + Self.otherSocket)
                #expect(try status.end().exitCode == 0)
            }
        }

        @Test func `a daemon whose lock file was removed keeps its endpoint`() throws {
            try FaultBus.open { bus in
                #expect(unlink(bus.socketPath + ".lock") == 0)
                let second = try SpawnedProgram("cascaded", ["--listen", bus.endpoint], bus: "")
                let ending = try second.end()
                #expect(ending.exitCode == 1)
                let words = ending.diagnostics.text
                #expect(words.contains("process \(bus.daemon.processID)"), "\(words)")
            }
        }

        @Test func `a daemon that fails after it has bound its socket removes the socket file`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            let file = try program.write("file", "")
            let socket = program.directory + "/bus.sock"
            let ending = try program.run([
                "--listen", "ipc://" + socket, "--metrics-socket", file + "/metrics.sock",
            ])
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("serving ipc://" + socket))
            #expect(!FileManager.default.fileExists(atPath: socket))
        }

        @Test func `an endpoint that is listed twice is refused`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let endpoint = "ipc://\(program.directory)/bus.sock"
            let ending = try program.run(["--listen", endpoint, endpoint])
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("listed twice"))
        }

        @Test func `the error names the process that holds the lock, not the file's content`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            let socket = program.directory + "/bus.sock"
            try Data("4194305\n".utf8).write(to: URL(filePath: socket + ".lock"))
            let holder = try Self.hold(socket + ".lock", by: [])
            let ending = try program.run(["--listen", "ipc://" + socket])
            #expect(ending.exitCode == 1)
            let words = ending.diagnostics.text
            #expect(words.contains("flock (process \(holder.processID) of user \(geteuid()))"))
            #expect(!words.contains("4194305"))
            holder.closeInput()
            #expect(try holder.end().exitCode == 0)
        }

        @Test func `the mode of an earlier release's lock file is set to 0600`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = directory + "/bus.sock.lock"
            try Data("1\n".utf8).write(to: URL(filePath: file))
            chmod(file, 0o644)
            let bus = try FaultBus(directory: directory, [])
            #expect(Self.mode(of: file) == 0o600)
            bus.daemon.signal(SIGTERM)
            #expect(try bus.daemon.end().exitCode == 0)
            #expect(Self.mode(of: file) == 0o600)
        }

        @Test(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
        func `another user cannot lock the file`() throws {
            try FaultBus.open { bus in
                chmod(bus.directory, 0o755)
                let file = bus.socketPath + ".lock"
                #expect(Self.mode(of: file) == 0o600)
                let other = try SpawnedProgram(
                    OtherUser.words[0],
                    OtherUser.words.dropFirst() + ["/usr/bin/flock", "-n", file, "true"], bus: "")
                let ending = try other.end()
                #expect(ending.exitCode != 0)
                #expect(ending.diagnostics.text.contains("cannot open lock file"))
            }
        }

        @Test(
            .enabled(if: OtherUser.isPossible, "requires root to act as two users"),
            arguments: [false, true])
        func `another user's lock on an earlier release's file does not stop a daemon`(
            isNameless: Bool
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let file = directory + "/bus.sock.lock"
            try Data("1\n".utf8).write(to: URL(filePath: file))
            chmod(directory, 0o755)
            chmod(file, 0o644)
            let holder = try Self.hold(file, by: OtherUser.words, isNameless: isNameless)
            let bus = try FaultBus(directory: directory, [])
            #expect(Self.mode(of: file) == 0o600)
            let second = try SpawnedProgram("cascaded", ["--listen", bus.endpoint], bus: "")
            let words = try second.end().diagnostics.text
            #expect(words.contains("process \(bus.daemon.processID)"), "\(words)")
            bus.daemon.signal(SIGTERM)
            #expect(try bus.daemon.end().exitCode == 0)
            holder.closeInput()
            #expect(try holder.end().exitCode == 0)
        }

        /// Locks a file, with a name of the process that is no UTF-8.
        private static let namelessHolder = """
            import ctypes, fcntl, sys
            ctypes.CDLL(None).prctl(15, b"\\xff", 0, 0, 0)
            file = open(sys.argv[1])
            fcntl.flock(file, fcntl.LOCK_EX)
            print("held", flush=True)
            sys.stdin.readline()
            """

        /// Locks a file in a process of its own until its input is closed.
        private static func hold(
            _ file: String, by words: [String], isNameless: Bool = false
        ) throws -> SpawnedProgram {
            let program =
                isNameless
                ? [Script.python, "-c", namelessHolder, file]
                : ["/usr/bin/flock", file, "-c", "echo held; read line; true"]
            let command = words + program
            let holder = try SpawnedProgram(command[0], Array(command.dropFirst()), bus: "")
            try #require(try holder.output.line(containing: "held") != nil)
            return holder
        }

        private static func mode(of path: String) -> mode_t {
            var file = stat()
            return stat(path, &file) == 0 ? file.st_mode & 0o7777 : 0
        }

        private static let otherSocket = "/tmp/cascade-second-\(getpid()).sock"
    }
}
