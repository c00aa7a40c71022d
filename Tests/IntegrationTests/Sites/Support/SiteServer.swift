// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A nats-server with the users of the site hq and of its children ulm and bonn.
@FaultThread
final class SiteServer {
    /// A key pair of a NATS user, in the server's notation.
    struct Key {
        var seed: String
        var publicKey: String
    }

    static let hq = Key(
        seed: "SUAACAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAN7EY",
        publicKey: "UCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVZ45L")
    static let children = [
        "ulm": Key(
            seed: "SUAAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAT6EE",
            publicKey: "UCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZJPJO"),
        "bonn": Key(
            seed: "SUAAGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGAYDAMBQGA6BEM",
            publicKey: "UDWUSKGGFDI4FRXK5EBTRECZSVQSSWJHHJOGH6JWG3AUMFFMQ435C2U4"),
    ]

    nonisolated static let program = "/usr/sbin/nats-server"
    nonisolated static var isInstalled: Bool {
        access(program, X_OK) == 0
    }

    private let directory: String
    private let maxPayload: Int
    private(set) var process: SpawnedProgram
    private(set) var port = -1

    var address: String {
        "localhost:\(port)"
    }

    /// Starts a server on a free port, with its files in a directory.
    init(in directory: String, maxPayload: Int = 1_048_576) throws {
        self.directory = directory
        self.maxPayload = maxPayload
        let children = Array(Self.children.keys)
        try Self.write(Self.configuration(-1, maxPayload, children), to: directory)
        process = try Self.spawn(directory)
        try waitUntilReady()
        for (name, key) in Self.children.merging(["hq": Self.hq], uniquingKeysWith: { $1 }) {
            let file = directory + "/\(name).key"
            try Data((key.seed + "\n").utf8).write(to: URL(filePath: file))
            chmod(file, 0o600)
        }
    }

    /// Kills the server, and waits for its end.
    func kill() throws {
        process.kill()
        _ = try process.end()
    }

    /// Starts the server again, on the same port.
    func start() throws {
        try Self.write(
            Self.configuration(port, maxPayload, Array(Self.children.keys)), to: directory)
        process = try Self.spawn(directory)
        try waitUntilReady()
    }

    /// Withdraws the keys of all other children than these.
    func admit(only children: [String]) throws {
        try Self.write(Self.configuration(port, maxPayload, children), to: directory)
        process.signal(SIGHUP)
        try #require(try process.diagnostics.line(containing: "Reloaded") != nil)
    }

    private static func spawn(_ directory: String) throws -> SpawnedProgram {
        try SpawnedProgram(program, ["--config", directory + "/server.conf"], bus: "")
    }

    private func waitUntilReady() throws {
        let line = try #require(try process.diagnostics.line(containing: "client connections on"))
        port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        try #require(try process.diagnostics.line(containing: "Server is ready") != nil)
    }

    private static func write(_ configuration: String, to directory: String) throws {
        try Data(configuration.utf8).write(to: URL(filePath: directory + "/server.conf"))
    }

    private static func configuration(
        _ port: Int, _ maxPayload: Int, _ children: [String]
    ) -> String {
        let users = children.compactMap { name in
            Self.children[name].map { key in
                """
                { nkey: \(key.publicKey), permissions: {
                    publish: ["cascade.main.up.hq.\(name).>"],
                    subscribe: ["cascade.main.down.\(name).hq.>"] } }
                """
            }
        }
        return """
            listen: "127.0.0.1:\(port)"
            ping_interval: "2s"
            ping_max: 2
            max_payload: \(maxPayload)
            authorization { users: [
              { nkey: \(hq.publicKey), permissions: {
                  publish: ["cascade.main.down.*.hq.>"], subscribe: ["cascade.main.up.hq.>"] } }
              \(users.joined(separator: "\n"))
            ] }

            """
    }
}
