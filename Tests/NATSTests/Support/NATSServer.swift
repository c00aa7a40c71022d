// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import FoundationEssentials
import Glibc
import NATS
import ZeroMQ

/// A nats-server process with the users of one parent and two children, as the setup of a site
/// configures it.
final class NATSServer {
    struct Failure: Error {
        var reason: String
    }

    static let gate = UserKey(secret: [UInt8](repeating: 1, count: 32))
    static let ulm = UserKey(secret: [UInt8](repeating: 2, count: 32))
    static let bonn = UserKey(secret: [UInt8](repeating: 3, count: 32))
    static let stranger = UserKey(secret: [UInt8](repeating: 4, count: 32))

    private let directory: TemporaryDirectory
    private let hasTLS: Bool
    private let pendingByteCountMax: Int
    private var process: pid_t = 0
    private var output: Int32 = -1
    private(set) var port: UInt16 = 0

    /// Starts a server on a free port. Throws if it does not start.
    init(hasTLS: Bool = true, pendingByteCountMax: Int = 67_108_864) throws {
        directory = try TemporaryDirectory()
        self.hasTLS = hasTLS
        self.pendingByteCountMax = pendingByteCountMax
        if hasTLS {
            try Self.makeCertificate(in: directory.path)
            try Self.makeCertificate(in: directory.path, "other-")
        }
        try start()
    }

    deinit {
        kill()
    }

    /// The file with the server's certificate.
    var trustFile: String? {
        hasTLS ? "\(directory.path)/certificate.pem" : nil
    }

    /// The file with a certificate that the server does not have.
    var otherTrustFile: String {
        "\(directory.path)/other-certificate.pem"
    }

    /// The largest message; a server accepts no more than it lets wait for a reader.
    var maxPayload: Int {
        min(1_048_576, pendingByteCountMax)
    }

    func settings(_ key: UserKey) -> ConnectionSettings {
        ConnectionSettings(
            server: ServerAddress(host: "localhost", port: port), key: key, trustFile: trustFile,
            name: "test")
    }

    // MARK: - The process

    /// Starts the server, on the port that it had before.
    func start() throws {
        let port = port == 0 ? "-1" : "\(port)"
        try directory.write("server.conf", Array(configuration(port: port).utf8))
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw Failure(reason: "pipe: \(errno)")
        }
        // Another server must not keep the pipe of this one open.
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        output = ends[0]
        process = try Self.spawn(
            ["nats-server", "--config", "\(directory.path)/server.conf"], output: ends[1])
        // The log ends with the server only if this process cannot write to it.
        close(ends[1])
        try waitUntilReady()
    }

    /// Kills the server at once, and waits for its end.
    func kill() {
        guard process > 0 else {
            return
        }
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
        close(output)
    }

    func pause() {
        Glibc.kill(process, SIGSTOP)
    }

    func resume() {
        Glibc.kill(process, SIGCONT)
    }

    /// Reads the server's log until it accepts connections.
    private func waitUntilReady() throws {
        var log: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else {
                throw Failure(reason: String(decoding: log, as: UTF8.self))
            }
            log += buffer.prefix(count)
            let text = String(decoding: log, as: UTF8.self)
            if let match = text.firstMatch(of: /client connections on [^\n]*:(\d+)\n/) {
                port = UInt16(match.output.1) ?? 0
            }
            if text.contains("Server is ready") {
                return
            }
        }
    }

    // MARK: - The configuration

    private func configuration(port: String) -> String {
        let tls =
            hasTLS
            ? "tls { cert_file: \"\(directory.path)/certificate.pem\", "
                + "key_file: \"\(directory.path)/key.pem\" }\n" : ""
        return """
            listen: "127.0.0.1:\(port)"
            ping_interval: "2s"
            ping_max: 2
            max_payload: \(maxPayload)
            max_pending: \(pendingByteCountMax)
            \(tls)authorization {
              users: [
                { nkey: \(Self.gate.publicKey), permissions: {
                    publish: ["cascade.r.down.*.hq.>"], subscribe: ["cascade.r.up.hq.>"] } }
                { nkey: \(Self.ulm.publicKey), permissions: {
                    publish: ["cascade.r.up.hq.ulm.>"], subscribe: ["cascade.r.down.ulm.hq.>"] } }
                { nkey: \(Self.bonn.publicKey), permissions: {
                    publish: ["cascade.r.up.hq.bonn.>"], subscribe: ["cascade.r.down.bonn.hq.>"] } }
              ]
            }

            """
    }

    /// Makes a self-signed certificate for localhost.
    private static func makeCertificate(in path: String, _ prefix: String = "") throws {
        let process = try spawn(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-days", "7300", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                "\(path)/\(prefix)key.pem", "-out", "\(path)/\(prefix)certificate.pem",
            ], output: nil)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else {
            throw Failure(reason: "openssl failed with \(status)")
        }
    }

    /// Starts a program with its output to a descriptor, or to nothing.
    private static func spawn(_ arguments: [String], output: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            posix_spawn_file_actions_adddup2(&actions, output, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer {
            for word in words {
                free(word)
            }
        }
        var process: pid_t = 0
        let result = posix_spawnp(&process, arguments[0], &actions, nil, &words, environ)
        guard result == 0 else {
            throw Failure(
                reason: "cannot start \(arguments[0]): \(String(cString: strerror(result)))")
        }
        return process
    }
}

/// What a connection brings, each item of which a test waits for.
final class Mailbox {
    private let connection: ServerConnection
    private var items: [InboxItem] = []

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    /// Removes and returns the first item that `isWanted` accepts; `nil` if none comes in time.
    func next(
        within milliseconds: Int = 10_000, where isWanted: (InboxItem) -> Bool = { _ in true }
    ) -> InboxItem? {
        while true {
            items += connection.takeAll()
            if let index = items.firstIndex(where: isWanted) {
                return items.remove(at: index)
            }
            guard connection.wait(milliseconds: milliseconds) else {
                return nil
            }
        }
    }
}

extension ServerConnection {
    /// Waits until something may have arrived. Returns whether it has in this time.
    func wait(milliseconds: Int) -> Bool {
        var poller = Poller()
        _ = poller.add(pollItems)
        return (try? poller.wait(timeoutMilliseconds: milliseconds)) ?? 0 > 0
    }
}
