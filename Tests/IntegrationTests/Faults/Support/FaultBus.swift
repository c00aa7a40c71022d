// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A bus of a test's own: a daemon on a socket in a temporary directory, and a witness, a node that
/// takes no part in the fault.
@FaultThread
final class FaultBus {
    let directory: String
    private let options: [String]
    /// A tcp port at which the daemon listens, too.
    private let tcpPort: Int?
    /// A program and its arguments that run the daemon.
    private let wrapper: [String]
    private(set) var daemon: SpawnedProgram

    var socketPath: String { directory + "/bus.sock" }
    var endpoint: String { "ipc://" + socketPath }

    /// Opens a bus, runs a test, and then expects that the bus serves other nodes as before and
    /// stops without an error.
    static func open(
        _ options: [String] = [], tcpPort: Int? = nil, within wrapper: [String] = [],
        _ test: (FaultBus) throws -> Void
    ) throws {
        let directory = try makeDirectory()
        defer { removeDirectory(directory) }
        let bus = try FaultBus(
            directory: directory, options, tcpPort: tcpPort, within: wrapper)
        let witness = try bus.attach("/witness", ["--handle", "Good"])
        do {
            try test(bus)
        } catch {
            bus.daemon.signal(SIGTERM)
            let ending = try bus.daemon.end()
            let words = "the daemon of the test that failed, exit code"
            print(words, ending.exitCode as Any, ending.diagnostics.text)
            throw error
        }
        let outcome = try bus.trigger("Good", ["--from", "/witness", "--deadline", "10s"])
        #expect(outcome.outcome == "handled" && outcome.by == "/witness")
        #expect(try witness.output.line(containing: outcome.id) != nil)
        witness.signal(SIGTERM)
        #expect(try witness.end().exitCode == 0)
        bus.daemon.signal(SIGTERM)
        let ending = try bus.daemon.end()
        #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
    }

    init(
        directory: String, _ options: [String], tcpPort: Int? = nil, within wrapper: [String] = []
    ) throws {
        self.directory = directory
        self.options = try options + Self.policy(in: directory, tcpPort)
        self.tcpPort = tcpPort
        self.wrapper = wrapper
        let listen = Self.endpoints(directory, tcpPort)
        daemon = try Self.startDaemon(listen + self.options, within: wrapper)
        try waitForDaemon()
    }

    /// On tcp peers have no identity, so the policy of such a bus admits everyone.
    private static func policy(in directory: String, _ tcpPort: Int?) throws -> [String] {
        guard tcpPort != nil else {
            return []
        }
        let file = directory + "/tcp.policy"
        try Data("allow all / to everyone\n".utf8).write(to: URL(filePath: file))
        return ["--policy", file]
    }

    private static func endpoints(_ directory: String, _ tcpPort: Int?) -> [String] {
        ["--listen", "ipc://\(directory)/bus.sock"]
            + (tcpPort.map { ["tcp://127.0.0.1:\($0)"] } ?? [])
    }

    private static func startDaemon(
        _ arguments: [String], within wrapper: [String]
    ) throws -> SpawnedProgram {
        guard let first = wrapper.first else {
            return try SpawnedProgram("cascaded", arguments, bus: "")
        }
        let daemon = try SpawnedProgram.path(of: "cascaded")
        return try SpawnedProgram(
            first, wrapper.dropFirst() + [daemon] + arguments, bus: "")
    }

    static func makeDirectory() throws -> String {
        let place = FileManager.default.temporaryDirectory
        let directory = place.appending(path: "faults-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        return directory
    }

    static func removeDirectory(_ directory: String) {
        // A directory that cannot be removed is left to the system.
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: - The daemon

    func killDaemon() throws {
        daemon.kill()
        #expect(try daemon.end().exitCode == nil)
    }

    func startDaemon() throws {
        daemon = try Self.startDaemon(
            Self.endpoints(directory, tcpPort) + options, within: wrapper)
        try waitForDaemon()
    }

    private func waitForDaemon() throws {
        let line = try daemon.diagnostics.line(containing: "serving")
        try #require(line != nil, "\(daemon.diagnostics.text)")
    }

    // MARK: - Processes

    /// Starts `cascadectl`.
    func start(_ arguments: [String]) throws -> SpawnedProgram {
        try SpawnedProgram("cascadectl", arguments, bus: endpoint)
    }

    /// Runs `cascadectl` until it exits.
    func run(_ arguments: [String]) throws -> SpawnedProgram.Ending {
        try start(arguments).end()
    }

    /// Attaches a node in a process of its own.
    func attach(_ path: String, _ options: [String]) throws -> SpawnedProgram {
        let program = try start(["attach", path] + options)
        guard try program.output.line(containing: "\"attached\"") != nil else {
            let ending = try program.end()
            let how = ending.exitCode.map { "exited with \($0)" } ?? "was ended by a signal"
            try #require(Bool(false), "the node \(how): \(ending.diagnostics.text)")
            return program
        }
        return program
    }

    /// Triggers an event and waits for its outcome.
    func trigger(_ name: String, _ options: [String] = []) throws -> ShownOutcome {
        try ShownOutcome(run(["trigger", name, "--json"] + options))
    }

    // MARK: - Inspection

    func tree(_ path: String = "/") throws -> ShownTree {
        let ending = try run(["tree", path, "--json"])
        try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        return try JSONDecoder().decode(ShownTree.self, from: Data(ending.output.bytes))
    }

    func counters() throws -> [String: Int] {
        let ending = try run(["status", "--json"])
        try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        return try JSONDecoder().decode(ShownStatus.self, from: Data(ending.output.bytes)).counters
    }

    /// Waits until a node has a state.
    func wait(_ path: String, _ state: String) throws {
        let ending = try run(["wait", path, "--state", state, "--timeout", "20s"])
        try #require(ending.exitCode == 0, "\(path) has not become \(state)")
    }
}

/// The tree as the command line prints it in JSON, without members that change by themselves.
struct ShownTree: Decodable, Equatable {
    struct Node: Decodable, Equatable {
        var path: String
        var state: String
        var pid: Int32?
        var session: String?
        var children: Int
    }

    var nodes: [Node]

    subscript(path: String) -> Node? {
        nodes.first { $0.path == path }
    }
}

/// The status of the bus as the command line prints it in JSON.
struct ShownStatus: Decodable {
    var counters: [String: Int]
}
