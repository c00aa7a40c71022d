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

    /// What differs between the servers of tests.
    struct Settings {
        /// The address at which the server listens, and by which the sites reach it.
        var host = "127.0.0.1"
        var maxPayload = 1_048_576
        /// The bytes that may wait for a reader before the server parts with it.
        var maxPending = 67_108_864
        /// The certificate and its key, in PEM; `nil` for a server without TLS.
        var certificate: (file: String, key: String)?
        /// Whether bonn's key is that of every child.
        var hasOneKey = false
        /// A program and its arguments that run the server.
        var wrapper: [String] = []
        /// The delay of what the children send and receive; `nil` for none.
        var delayMilliseconds: UInt64?
    }

    nonisolated static let program = "/usr/sbin/nats-server"
    nonisolated static var isInstalled: Bool {
        access(program, X_OK) == 0
    }

    private let directory: String
    var settings: Settings
    private(set) var process: SpawnedProgram
    private(set) var port = -1
    private var relay: SlowRelay?

    var address: String {
        "\(settings.host):\(port)"
    }

    /// The address for the children.
    var addressBelow: String {
        relay.map { "\(settings.host):\($0.port)" } ?? address
    }

    /// Starts a server on a free port, with its files in a directory.
    init(in directory: String, _ settings: Settings = Settings()) throws {
        self.directory = directory
        self.settings = settings
        let children = Array(Self.children.keys)
        try Self.write(Self.configuration(-1, settings, children), to: directory)
        process = try Self.spawn(directory, settings)
        try waitUntilReady()
        relay = try settings.delayMilliseconds.map { try SlowRelay(to: port, milliseconds: $0) }
        for (name, key) in Self.children.merging(["hq": Self.hq], uniquingKeysWith: { $1 }) {
            let file = directory + "/\(name).key"
            try Data((key.seed + "\n").utf8).write(to: URL(filePath: file))
            chmod(file, 0o600)
        }
    }

    deinit {
        relay?.stop()
    }

    /// Kills the server, and waits for its end.
    func kill() throws {
        process.kill()
        _ = try process.end()
    }

    /// Starts the server again, on the same port.
    func start() throws {
        try Self.write(
            Self.configuration(port, settings, Array(Self.children.keys)), to: directory)
        process = try Self.spawn(directory, settings)
        try waitUntilReady()
    }

    /// Withdraws the keys of all other children than these.
    func admit(only children: [String]) throws {
        try Self.write(Self.configuration(port, settings, children), to: directory)
        process.signal(SIGHUP)
        try #require(try process.diagnostics.line(containing: "Reloaded") != nil)
    }

    private static func spawn(
        _ directory: String, _ settings: Settings
    ) throws -> SpawnedProgram {
        let command = settings.wrapper + [program, "--config", directory + "/server.conf"]
        return try SpawnedProgram(command[0], Array(command.dropFirst()), bus: "")
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
        _ port: Int, _ settings: Settings, _ children: [String]
    ) -> String {
        let users = children.compactMap { name in
            Self.children[name].map { key in
                let isForAll = settings.hasOneKey && name == "bonn"
                return """
                    { nkey: \(key.publicKey), permissions: {
                        publish: ["cascade.main.up.hq.\(isForAll ? "*" : name).>"],
                        subscribe: ["cascade.main.down.\(isForAll ? "*" : name).hq.>"] } }
                    """
            }
        }
        let tls = settings.certificate.map {
            "tls { cert_file: \"\($0.file)\", key_file: \"\($0.key)\" }\n"
        }
        return """
            listen: "\(settings.host):\(port)"
            ping_interval: "2s"
            ping_max: 2
            max_payload: \(settings.maxPayload)
            max_pending: \(settings.maxPending)
            \(tls ?? "")authorization { users: [
              { nkey: \(hq.publicKey), permissions: {
                  publish: ["cascade.main.down.*.hq.>"], subscribe: ["cascade.main.up.hq.>"] } }
              \(users.joined(separator: "\n"))
            ] }

            """
    }
}
