// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing

/// A bus whose socket belongs to a group of its own, and processes of several users. It
/// requires root.
@FaultThread
final class PolicyBus {
    /// A user without an account, and its groups.
    struct User {
        var userID: UInt32
        var groups: [UInt32] = []

        /// Members of the socket's group.
        static let anna = User(userID: 41_001, groups: [PolicyBus.groupID])
        static let bert = User(userID: 41_002, groups: [PolicyBus.groupID])
        /// A user outside of the socket's group.
        static let eve = User(userID: 41_003)
    }

    nonisolated static let groupID: UInt32 = 41_900

    /// Whether processes of other users can be started.
    nonisolated static let isAvailable: Bool = {
        guard geteuid() == 0, access(setpriv, X_OK) == 0,
            let program = try? SpawnedProgram.directory().appending(path: "cascadectl").path
        else {
            return false
        }
        let arguments = ["--reuid=41003", "--regid=41003", "--clear-groups", program, "version"]
        return (try? SpawnedProgram(setpriv, arguments, bus: "").end().exitCode) == 0
    }()

    private nonisolated static let setpriv = "/usr/bin/setpriv"

    let bus: FaultBus
    let policyFile: String

    /// Opens a bus with a policy file of this text.
    static func open(
        policy: String?, _ options: [String] = [], _ test: (PolicyBus) throws -> Void
    ) throws {
        let directory = try FaultBus.makeDirectory()
        defer { FaultBus.removeDirectory(directory) }
        // Files in the directory get its group.
        try #require(chown(directory, 0, groupID) == 0 && chmod(directory, 0o2755) == 0)
        let bus = try PolicyBus(directory, policy: policy, options)
        try test(bus)
        let witness = try bus.bus.attach("/witness", ["--handle", "Good"])
        let outcome = try bus.bus.trigger("Good", ["--from", "/witness"])
        #expect(outcome.outcome == "handled" && outcome.by == "/witness")
        witness.signal(SIGTERM)
        _ = try witness.end()
        bus.bus.daemon.signal(SIGTERM)
        let ending = try bus.bus.daemon.end()
        #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
    }

    private init(_ directory: String, policy: String?, _ options: [String]) throws {
        policyFile = directory + "/bus.policy"
        if let policy {
            try Self.write(policy, policyFile)
        }
        bus = try FaultBus(directory: directory, ["--policy", policyFile] + options)
        try #require(chmod(bus.socketPath, 0o777) == 0)
    }

    static func write(_ text: String, _ path: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try #require(chown(path, 0, 0) == 0 && chmod(path, mode) == 0)
    }

    /// Reloads the daemon's files. Returns the line of its log about them.
    func reload(_ policy: String, saying words: String = "policy loaded") throws -> String {
        try Self.write(policy, policyFile)
        return try reload(saying: words)
    }

    func reload(saying words: String = "policy loaded") throws -> String {
        bus.daemon.signal(SIGHUP)
        return try #require(try bus.daemon.diagnostics.line(containing: words))
    }

    // MARK: - Processes

    /// Starts `cascadectl` as a user.
    func start(_ arguments: [String], as user: User) throws -> SpawnedProgram {
        let program = try SpawnedProgram.directory().appending(path: "cascadectl").path
        let groups =
            user.groups.isEmpty
            ? "--clear-groups" : "--groups=" + user.groups.map(String.init).joined(separator: ",")
        let identity = ["--reuid=\(user.userID)", "--regid=\(user.userID)", groups]
        return try SpawnedProgram(
            Self.setpriv, identity + [program] + arguments, bus: bus.endpoint)
    }

    func run(_ arguments: [String], as user: User) throws -> SpawnedProgram.Ending {
        try start(arguments, as: user).end()
    }

    func attach(_ path: String, _ options: [String] = [], as user: User) throws -> SpawnedProgram {
        let program = try start(["attach", path] + options, as: user)
        let line = try program.output.line(containing: "\"attached\"")
        try #require(line != nil, "\(program.diagnostics.text)")
        return program
    }

    /// Expects that a command is denied with these words.
    func expectDenied(
        _ arguments: [String], as user: User, saying words: String
    ) throws {
        let ending = try run(arguments, as: user)
        #expect(ending.exitCode == 77, "\(arguments): \(ending.diagnostics.text)")
        #expect(
            (ending.diagnostics.text + ending.output.text).contains(words),
            "\(ending.diagnostics.text)\(ending.output.text)")
    }
}
