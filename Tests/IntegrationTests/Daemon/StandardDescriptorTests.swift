// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// Programs whose standard descriptors are closed at their start, or cannot be written.
    @FaultThread
    @Suite struct StandardDescriptorTests {
        private static let closed = "<&- >&- 2>&-"

        /// Starts a program by a shell, which redirects its standard descriptors.
        private static func start(
            _ program: String, _ arguments: [String], _ redirections: String, bus: String = ""
        ) throws -> SpawnedProgram {
            let words = ["-c", "exec \"$0\" \"$@\" \(redirections)"]
            return try SpawnedProgram(
                "/bin/sh", words + [SpawnedProgram.path(of: program)] + arguments, bus: bus)
        }

        private static func isBuilt(_ program: String) throws -> Bool {
            access(try SpawnedProgram.path(of: program), X_OK) == 0
        }

        /// Waits until a program has opened files, and expects that it has `/dev/null` in place of all standard
        /// descriptors.
        private static func expectNullDescriptors(
            of name: String, _ program: SpawnedProgram
        ) throws {
            let process = "/proc/\(program.processID)"
            func file(_ link: String) -> String? {
                try? FileManager.default.destinationOfSymbolicLink(atPath: process + link)
            }
            try Patience.until("files are open in place of the shell's") {
                try file("/exe")?.hasSuffix("/\(name)") == true && program.openFileCount() > 5
                    && (0...2).allSatisfy { file("/fd/\($0)") != nil }
            }
            for descriptor in 0...2 {
                #expect(file("/fd/\(descriptor)") == "/dev/null", "\(descriptor)")
            }
        }

        @Test func `a daemon whose standard descriptors are closed serves, and logs nowhere`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            let socket = program.directory + "/bus.sock"
            let bus = "ipc://\(socket)"
            let daemon = try Self.start(
                "cascaded", ["--listen", bus, "--log-level", "trace"], Self.closed)
            try Patience.until("the socket is there") { access(socket, F_OK) == 0 }
            try Self.expectNullDescriptors(of: "cascaded", daemon)
            let node = try SpawnedProgram(
                "cascadectl", ["attach", "/a", "--handle", "X"], bus: bus)
            try #require(try node.output.line(containing: "\"attached\"") != nil)
            let outcome = try SpawnedProgram(
                "cascadectl", ["trigger", "X", "--from", "/a"], bus: bus)
            #expect(try outcome.end().exitCode == 0)
            // The daemon logs the loss.
            node.kill()
            _ = try node.end()
            let status = try SpawnedProgram(
                "cascadectl", ["wait", "/a", "--state", "vacant"], bus: bus)
            #expect(try status.end().exitCode == 0)
            try Self.expectNullDescriptors(of: "cascaded", daemon)
            daemon.signal(SIGTERM)
            #expect(try daemon.end().exitCode == 0)
        }

        @Test(arguments: ["cascade-site", "cascade-console"])
        func `a program whose standard descriptors are closed has none of its sockets there`(
            name: String
        ) throws {
            guard try Self.isBuilt(name) else {
                return
            }
            try FaultBus.open { bus in
                let file = bus.directory + "/site.yaml"
                try Data("name: hq\nbus: \"\(bus.endpoint)\"\n".utf8).write(to: URL(filePath: file))
                let arguments =
                    name == "cascade-site" ? ["--config", file] : ["--bus", bus.endpoint]
                let program = try Self.start(name, arguments, Self.closed)
                try Self.expectNullDescriptors(of: name, program)
                program.kill()
                #expect(try program.end().exitCode == nil)
            }
        }

        private nonisolated static let calls: [(program: String, arguments: [String])] = [
            ("cascadectl", ["help"]), ("cascadectl", ["--help"]), ("cascadectl", ["help", "tree"]),
            ("cascadectl", ["--version"]), ("cascaded", ["--help"]), ("cascaded", ["--version"]),
            ("cascaded", ["--print-default-config"]), ("cascade-site", ["--help"]),
            ("cascade-console", ["--help"]),
        ]

        @Test(arguments: calls)
        func `help that cannot be written is an error`(
            program: String, arguments: [String]
        ) throws {
            guard try Self.isBuilt(program) else {
                return
            }
            for (redirection, reason) in [
                (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
            ] {
                let ending = try Self.start(program, arguments, redirection).end()
                #expect(ending.exitCode == 1, "\(redirection)")
                let words = "\(program): cannot write to standard output"
                // The reason is known if all of the text is written at the end.
                let isLong = arguments == ["--print-default-config"]
                #expect(ending.diagnostics.text == words + (isLong ? "\n" : ": \(reason)\n"))
            }
        }
    }
}
