// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import Glibc
import NATS
import Testing
import ZeroMQ

@testable import cascade_site

/// The generated configuration in a real nats-server.
@Suite struct ServerTests {
    private let folder: TemporaryDirectory
    private let hq: SiteSetup
    private let server: StartedProgram
    private let port: UInt16
    private let subjects = LinkSubjects(realm: "main", parent: "hq")

    init() throws {
        folder = try TemporaryDirectory()
        hq = SiteSetup(folder: SetupFolder(configuration: "\(folder.path)/site.yaml"))
        port = try DemoFolder.freePort()
        try hq.initialize(
            name: "hq", realm: nil, address: ServerAddress(host: "localhost", port: port),
            interface: "127.0.0.1")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let program = try #require(ProgramPath.find(ProgramPath.server))
        server = try StartedProgram([program, "--config", hq.folder.server], output: ends[1])
        close(ends[1])
        try Self.wait(for: "Server is ready", in: ends[0])
    }

    /// Reads the server's log until it contains the words. The pipe stays open for what follows.
    private static func wait(for words: String, in descriptor: Int32) throws {
        var log = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !log.contains(words) {
            let count = read(descriptor, &buffer, buffer.count)
            try #require(count > 0, "the server has ended: \(log)")
            log += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    private func end() {
        server.signal(SIGKILL)
        _ = server.wait()
    }

    private func connection(
        _ key: UserKey, trust: String? = nil
    ) throws -> ServerConnection {
        try ServerConnection(
            ConnectionSettings(
                server: ServerAddress(host: "localhost", port: port), key: key,
                trustFile: trust ?? hq.folder.certificate, name: "test"))
    }

    /// Admits a site, and waits until the server has read it.
    private func add(_ child: SiteName) throws -> UserKey {
        let expiry = Timestamp.now.advanced(byDays: 1)
        let path = try NodePath("/shop/\(child)")
        let key = try #require(try hq.add(child, at: path, publicKey: nil, expiry: expiry).key)
        server.signal(SIGHUP)
        while (try? connection(key)) == nil {}
        return key
    }

    /// The first item that a connection brings; `nil` if none comes within 10 s.
    private func next(
        _ connection: ServerConnection, _ items: inout [InboxItem]
    ) throws -> InboxItem? {
        items += connection.takeAll()
        if items.isEmpty {
            var poller = Poller()
            _ = poller.add(connection.pollItems)
            _ = try poller.wait(timeoutMilliseconds: 10_000)
            items += connection.takeAll()
        }
        return items.isEmpty ? nil : items.removeFirst()
    }

    @Test func `a child and the gate talk, and nobody else gets in or listens`() throws {
        defer { end() }
        let (ulm, bonn) = (try add("ulm"), try add("bonn"))
        var (gateItems, items): ([InboxItem], [InboxItem]) = ([], [])
        let gateKey = try #require(try hq.key(in: hq.folder.gateKey))
        let gate = try connection(gateKey)
        try gate.subscribe(to: subjects.upPattern)
        try gate.roundTrip()
        let child = try connection(ulm)
        try child.subscribe(to: subjects.downPattern(of: "ulm"))
        try child.roundTrip()
        let refused = [
            subjects.up("bonn", .open), subjects.down("bonn", .open), subjects.down("ulm", .open),
            "cascade.other.up.hq.ulm.open", "$SYS.REQ.SERVER.PING",
        ]
        for subject in refused {
            try child.publish([1], to: subject)
            guard case .refused(let error)? = try next(child, &items) else {
                Issue.record("publishing to \(subject) is not refused")
                continue
            }
            #expect(error.step == .permission)
        }
        for subject in [">", subjects.upPattern, subjects.downPattern(of: "bonn"), "_INBOX.>"] {
            try child.subscribe(to: subject)
            guard case .refused? = try next(child, &items) else {
                Issue.record("subscribing to \(subject) is not refused")
                continue
            }
        }
        let up = subjects.up("ulm", .open)
        try child.publish([2], to: up)
        #expect(
            try next(gate, &gateItems) == .message(ReceivedMessage(subject: up, bytes: [2])))
        let down = subjects.down("ulm", .open)
        try gate.publish([3], to: down)
        #expect(try next(child, &items) == .message(ReceivedMessage(subject: down, bytes: [3])))
        // A gate that is not this site's, and clients that the server does not know.
        try gate.publish([1], to: "cascade.main.down.ulm.other.open")
        guard case .refused? = try next(gate, &gateItems) else {
            Issue.record("the gate is not refused another parent's subject")
            return
        }
        #expect(throws: ServerError.self) { try connection(.random()) }
        _ = bonn
    }

    @Test func `a client without a key, or without TLS, does not get in`() throws {
        defer { end() }
        let ulm = try add("ulm")
        let error = #expect(throws: ServerError.self) {
            try ServerConnection(
                ConnectionSettings(
                    server: ServerAddress(host: "localhost", port: port), key: ulm, trustFile: nil,
                    name: "test"))
        }
        #expect(error?.step == .tls)
        let result = try ProgramResult(
            running: ["python3", "-c", Self.keylessClient, "\(port)"])
        #expect(result.output.contains("Authorization Violation"), "\(result.output)")
    }

    /// Speaks NATS by hand: the server's greeting, TLS, and a CONNECT without a user.
    private static let keylessClient = """
        import socket, ssl, sys
        s = socket.create_connection(('localhost', int(sys.argv[1])), 10)
        s.recv(4096)
        c = ssl.create_default_context()
        c.check_hostname = False
        c.verify_mode = ssl.CERT_NONE
        t = c.wrap_socket(s)
        t.sendall(b'CONNECT {"verbose":false}\\r\\nPING\\r\\n')
        print(t.recv(4096).decode())
        """

    @Test func `remove ends the connection of a child within a second`() throws {
        defer { end() }
        let ulm = try add("ulm")
        var items: [InboxItem] = []
        let child = try connection(ulm)
        try child.roundTrip()
        try hq.remove("ulm")
        let start = MonotonicClock.now()
        server.signal(SIGHUP)
        guard case .ended? = try next(child, &items) else {
            Issue.record("the connection does not end")
            return
        }
        #expect(MonotonicClock.now() - start < 1_000_000_000)
        let error = #expect(throws: ServerError.self) { try connection(ulm) }
        #expect(error?.step == .key)
    }
}
