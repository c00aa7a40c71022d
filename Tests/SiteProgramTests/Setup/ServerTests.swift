// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import Glibc
import NATS
import Subprocess
import Testing
import ZeroMQ

@testable import cascade_site

/// The generated configuration in a real nats-server.
@Suite struct ServerTests {
    private let folder: TemporaryDirectory
    private let hq: SiteSetup
    private let port: UInt16
    private let subjects = LinkSubjects(realm: "main", parent: "hq")

    init() async throws {
        folder = try TemporaryDirectory()
        hq = SiteSetup(folder: SetupFolder(configuration: "\(folder.path)/site.yaml"))
        port = try DemoFolder.freePort()
        try await hq.initialize(
            name: "hq", realm: nil, address: ServerAddress(host: "localhost", port: port),
            interface: "127.0.0.1")
    }

    /// Runs a test while the server runs, whose process it gets.
    private func withServer(_ test: (pid_t) async throws -> Void) async throws {
        _ = try await Subprocess.run(
            .name(ProgramPath.server), arguments: ["--config", hq.folder.server],
            environment: ProgramPath.environment, input: .none, output: .sequence,
            error: .combinedWithOutput
        ) { execution in
            for try await line in execution.standardOutput.strings()
            where line.contains("Server is ready") {
                break
            }
            try await test(execution.processIdentifier.value)
            try execution.send(signal: .kill)
        }
    }

    private func connection(
        _ key: UserKey, _ inbox: Inbox, trust: String? = nil
    ) throws -> ServerConnection {
        try ServerConnection(
            ConnectionSettings(
                server: ServerAddress(host: "localhost", port: port), key: key,
                trustFile: trust ?? hq.folder.certificate, name: "test"), inbox: inbox)
    }

    /// Admits a site, and waits until the server has read it.
    private func add(_ child: SiteName, to server: pid_t) throws -> UserKey {
        let expiry = Timestamp.now.advanced(byDays: 1)
        let path = try NodePath("/shop/\(child)")
        let key = try #require(try hq.add(child, at: path, publicKey: nil, expiry: expiry).key)
        kill(server, SIGHUP)
        let inbox = try Inbox()
        while (try? connection(key, inbox)) == nil {}
        return key
    }

    /// The first item of an inbox; `nil` if none comes within 10 s.
    private func next(_ inbox: Inbox, _ items: inout [InboxItem]) -> InboxItem? {
        items += inbox.takeAll()
        if items.isEmpty {
            var item = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&item, 1, 10_000)
            items += inbox.takeAll()
        }
        return items.isEmpty ? nil : items.removeFirst()
    }

    @Test func `a child and the gate talk, and nobody else gets in or listens`() async throws {
        try await withServer { server in
            let (ulm, bonn) = (try add("ulm", to: server), try add("bonn", to: server))
            let (gateInbox, inbox) = (try Inbox(), try Inbox())
            var (gateItems, items): ([InboxItem], [InboxItem]) = ([], [])
            let gateKey = try #require(try hq.key(in: hq.folder.gateKey))
            let gate = try connection(gateKey, gateInbox)
            try gate.subscribe(to: subjects.upPattern)
            try gate.roundTrip()
            let child = try connection(ulm, inbox)
            try child.subscribe(to: subjects.downPattern(of: "ulm"))
            try child.roundTrip()
            let refused = [
                subjects.up("bonn", .open), subjects.down("bonn", .open),
                subjects.down("ulm", .open),
                "cascade.other.up.hq.ulm.open", "$SYS.REQ.SERVER.PING",
            ]
            for subject in refused {
                try child.publish([1], to: subject)
                guard case .refused(let error)? = next(inbox, &items) else {
                    Issue.record("publishing to \(subject) is not refused")
                    continue
                }
                #expect(error.step == .permission)
            }
            for subject in [">", subjects.upPattern, subjects.downPattern(of: "bonn"), "_INBOX.>"] {
                try child.subscribe(to: subject)
                guard case .refused? = next(inbox, &items) else {
                    Issue.record("subscribing to \(subject) is not refused")
                    continue
                }
            }
            let up = subjects.up("ulm", .open)
            try child.publish([2], to: up)
            #expect(
                next(gateInbox, &gateItems) == .message(ReceivedMessage(subject: up, bytes: [2])))
            let down = subjects.down("ulm", .open)
            try gate.publish([3], to: down)
            #expect(next(inbox, &items) == .message(ReceivedMessage(subject: down, bytes: [3])))
            // A gate that is not this site's, and clients that the server does not know.
            try gate.publish([1], to: "cascade.main.down.ulm.other.open")
            guard case .refused? = next(gateInbox, &gateItems) else {
                Issue.record("the gate is not refused another parent's subject")
                return
            }
            #expect(throws: ServerError.self) { try connection(.random(), Inbox()) }
            _ = bonn
        }
    }

    @Test func `a client without a key, or without TLS, does not get in`() async throws {
        try await withServer { server in
            let ulm = try add("ulm", to: server)
            let error = #expect(throws: ServerError.self) {
                try ServerConnection(
                    ConnectionSettings(
                        server: ServerAddress(host: "localhost", port: port), key: ulm,
                        trustFile: nil,
                        name: "test"), inbox: Inbox())
            }
            #expect(error?.step == .tls)
            let output = try await ProgramResult(
                running: "python3", ["-c", Self.keylessClient, "\(port)"]
            ).output
            #expect(output.contains("Authorization Violation"), "\(output)")
        }
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

    @Test func `remove ends the connection of a child within a second`() async throws {
        try await withServer { server in
            let ulm = try add("ulm", to: server)
            let inbox = try Inbox()
            var items: [InboxItem] = []
            let child = try connection(ulm, inbox)
            try child.roundTrip()
            try hq.remove("ulm")
            let start = MonotonicClock.now()
            kill(server, SIGHUP)
            guard case .ended? = next(inbox, &items) else {
                Issue.record("the connection does not end")
                return
            }
            #expect(MonotonicClock.now() - start < 1_000_000_000)
            let error = #expect(throws: ServerError.self) { try connection(ulm, Inbox()) }
            #expect(error?.step == .key)
        }
    }
}
