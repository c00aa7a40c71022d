// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    // The daemon trusts no state directory that another user could have written, and no entry that
    // is not a journal. It exits with an error that names the path.
    @FaultThread
    @Suite struct StateDirectoryTests {
        private static let file = "00000000000000000007.journal"

        /// Starts a daemon on a state directory that it must refuse.
        private static func expectRefused(
            _ words: String, _ prepare: (_ state: String, _ journal: String) throws -> Void
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let state = directory + "/state"
            let journal = state + "/journal"
            try FileManager.default.createDirectory(
                atPath: state, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try prepare(state, journal)
            let daemon = try SpawnedProgram(
                "cascaded",
                ["--listen", "ipc://\(directory)/bus.sock", "--state-directory", state], bus: "")
            let ending = try daemon.end()
            #expect(ending.exitCode == 1)
            #expect(
                ending.diagnostics.text.contains(words), "\(ending.diagnostics.text)")
        }

        private static func makeJournal(_ journal: String) throws {
            #expect(mkdir(journal, 0o700) == 0)
            try Data().write(to: URL(filePath: journal + "/" + file))
        }

        @Test func `a state directory that all users may write is refused`() throws {
            try Self.expectRefused("all users may write it") { state, _ in
                #expect(chmod(state, 0o777) == 0)
            }
        }

        @Test(.enabled(if: geteuid() == 0, "requires root for files of other users"))
        func `a journal's folder writable by another group is refused`() throws {
            try Self.expectRefused("the members of group 1001 may write it") { _, journal in
                #expect(mkdir(journal, 0o700) == 0)
                #expect(chown(journal, 0, 1001) == 0 && chmod(journal, 0o770) == 0)
            }
        }

        @Test(.enabled(if: geteuid() == 0, "requires root for files of other users"))
        func `a journal's file of another user is refused`() throws {
            try Self.expectRefused("\(Self.file): it belongs to user 1001") { _, journal in
                try Self.makeJournal(journal)
                #expect(chown(journal + "/" + Self.file, 1001, 0) == 0)
            }
        }

        @Test func `a file in place of the journal's folder is refused`() throws {
            try Self.expectRefused("Not a directory") { _, journal in
                try Data("?".utf8).write(to: URL(filePath: journal))
            }
        }

        @Test func `a folder in place of a journal's file is refused`() throws {
            try Self.expectRefused("(\(Self.file)): it is not a regular file") { _, journal in
                #expect(mkdir(journal, 0o700) == 0)
                #expect(mkdir(journal + "/" + Self.file, 0o700) == 0)
            }
        }

        @Test func `a journal's file of 30 GB is refused, and is not read into memory`() throws {
            try Self.expectRefused("it has 32212254720 bytes, more than a file of") { _, journal in
                try Self.makeJournal(journal)
                #expect(truncate(journal + "/" + Self.file, 30 << 30) == 0)
            }
        }

        @Test func `a state directory whose parent is missing is refused`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let daemon = try SpawnedProgram(
                "cascaded",
                [
                    "--listen", "ipc://\(directory)/bus.sock", "--state-directory",
                    directory + "/absent/state",
                ], bus: "")
            let ending = try daemon.end()
            #expect(ending.exitCode == 1)
            #expect(ending.diagnostics.text.contains("No such file or directory"))
        }
    }
}
