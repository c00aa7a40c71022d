// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import NATS
import Testing
import ZeroMQ

/// The binding against a real server.
@Suite(.serialized) struct ServerConnectionTests {
    private static let subjects = LinkSubjects(realm: "r", parent: "hq")

    @Test(arguments: [true, false]) func `a message goes from child to gate and back`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let gate = try ServerConnection(server.settings(NATSServer.gate))
        let gateBox = Mailbox(gate)
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let childBox = Mailbox(child)
        try gate.subscribe(to: Self.subjects.upPattern)
        try child.subscribe(to: Self.subjects.downPattern(of: "ulm"))
        try gate.roundTrip()
        try child.roundTrip()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let up = Self.subjects.up("ulm", .open)
        try child.publish(bytes, to: up)
        #expect(gateBox.next() == .message(ReceivedMessage(subject: up, bytes: bytes)))
        let down = Self.subjects.down("ulm", .link(LinkID(7)))
        try gate.publish([], to: down)
        #expect(childBox.next() == .message(ReceivedMessage(subject: down, bytes: [])))
        #expect(child.maxPayload == 1_048_576)
        #expect(throws: ServerError.self) {
            try child.publish([UInt8](repeating: 0, count: 1_048_577), to: up)
        }
    }

    @Test(arguments: [0, .max])
    func `a message that is too large for the server is reported`(byteCountUnderWay: Int) throws {
        let server = try NATSServer()
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let box = Mailbox(child)
        let publisher = try Publisher(child)
        let subject = Self.subjects.up("ulm", .link(LinkID(7)))
        publisher.publish(
            [UInt8](repeating: 0, count: 1_048_577), to: subject,
            whileUnderWay: byteCountUnderWay)
        let sentence =
            "a message of 1048577 bytes exceeds the maximum of the server, 1048576 bytes"
        #expect(
            box.next() == .unpublished(subject: subject, ServerError(.library, sentence)))
    }

    @Test(arguments: [true, false]) func `a publisher that finishes has published all that waited`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let gate = try ServerConnection(server.settings(NATSServer.gate))
        let gateBox = Mailbox(gate)
        try gate.subscribe(to: Self.subjects.upPattern)
        try gate.roundTrip()
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let publisher = try Publisher(child)
        for number in 0..<50 {
            publisher.publish(
                [UInt8](repeating: UInt8(number), count: 500_000),
                to: Self.subjects.up("ulm", .open), whileUnderWay: .max)
        }
        #expect(publisher.finish(within: 20_000))
        try child.roundTrip()
        child.close()
        for number in 0..<50 {
            guard case .message(let message)? = gateBox.next() else {
                Issue.record("the message \(number) was not published")
                return
            }
            #expect(message.bytes.first == UInt8(number))
        }
    }

    @Test(arguments: [true, false])
    func `neither publisher nor owner waits for a server that takes no bytes`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let publisher = try Publisher(child)
        server.pause()
        for _ in 0..<50 {
            publisher.publish(
                [UInt8](repeating: 0, count: 1_000_000), to: Self.subjects.up("ulm", .open),
                whileUnderWay: .max)
        }
        #expect(!publisher.finish(within: 100))
        #expect(child.takeAll().isEmpty)
        // The publisher would have ended if the owner had waited for it.
        #expect(!publisher.finish(within: 0))
        server.kill()
    }

    // The server's answers to the library's pings wake the owner, who has nothing to take.
    @Test func `a connection without messages stays`() throws {
        let server = try NATSServer(hasTLS: false)
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let end = MonotonicClock.time + .seconds(9)
        while MonotonicClock.time < end {
            _ = child.wait(milliseconds: 1_000)
            #expect(child.takeAll().isEmpty)
        }
        #expect(throws: Never.self) { try child.roundTrip() }
    }

    @Test(arguments: [true, false]) func `a request without a subscriber is reported at once`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let box = Mailbox(child)
        try child.subscribe(to: Self.subjects.downPattern(of: "ulm"))
        let reply = Self.subjects.down("ulm", .link(LinkID(7)))
        try child.publish([1], to: Self.subjects.up("ulm", .open), reply: reply)
        #expect(box.next() == .noResponders(reply: reply))
    }

    // MARK: - Permissions

    @Test(arguments: [true, false])
    func `forged and spying subjects are refused, and nothing arrives`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let gate = try ServerConnection(server.settings(NATSServer.gate))
        let gateBox = Mailbox(gate)
        try gate.subscribe(to: Self.subjects.upPattern)
        let bonn = try ServerConnection(server.settings(NATSServer.bonn))
        let bonnBox = Mailbox(bonn)
        try bonn.subscribe(to: Self.subjects.downPattern(of: "bonn"))
        try gate.roundTrip()
        try bonn.roundTrip()
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let box = Mailbox(child)
        for forged in [
            Self.subjects.up("bonn", .open), Self.subjects.down("bonn", .open),
            Self.subjects.down("ulm", .open), "cascade.r.up.other.ulm.open",
            "cascade.x.up.hq.ulm.a",
        ] {
            try child.publish([1], to: forged)
            expectRefusal(of: forged, by: box)
        }
        for spied in [
            Self.subjects.upPattern, Self.subjects.downPattern(of: "bonn"), ">", "cascade.>",
            Self.subjects.up("ulm", .open), "_INBOX.>",
        ] {
            try child.subscribe(to: spied)
            expectRefusal(of: spied, by: box)
        }
        // Only what is permitted arrives, after all that was refused.
        let up = Self.subjects.up("ulm", .open)
        try child.publish([2], to: up)
        #expect(gateBox.next() == .message(ReceivedMessage(subject: up, bytes: [2])))
        try gate.publish([3], to: Self.subjects.down("bonn", .open))
        let down = Self.subjects.down("bonn", .open)
        #expect(bonnBox.next() == .message(ReceivedMessage(subject: down, bytes: [3])))
        try child.roundTrip()
        #expect(box.next(within: 0) == nil)
    }

    private func expectRefusal(of subject: String, by box: Mailbox) {
        guard case .refused(let error)? = box.next() else {
            Issue.record("'\(subject)' is not refused")
            return
        }
        #expect(error.step == .permission)
        #expect(error.reason.contains(subject.lowercased()) || error.reason.contains(subject))
    }

    @Test func `after a round trip it is known that a subject is refused`() throws {
        let server = try NATSServer(hasTLS: false)
        for _ in 0..<100 {
            let child = try ServerConnection(server.settings(NATSServer.ulm))
            try child.subscribe(to: Self.subjects.downPattern(of: "ulm"))
            try child.roundTrip()
            #expect(throws: Never.self) { try child.checkPermissions() }
            try child.subscribe(to: Self.subjects.downPattern(of: "bonn"))
            try child.roundTrip()
            let error = #expect(throws: ServerError.self) { try child.checkPermissions() }
            #expect(error?.step == .permission)
        }
    }

    // MARK: - Steps of dialling

    @Test func `an error names the step that fails`() throws {
        let server = try NATSServer()
        func step(_ change: (inout ConnectionSettings) -> Void) -> ServerError.Step? {
            var settings = server.settings(NATSServer.ulm)
            change(&settings)
            do throws(ServerError) {
                _ = try ServerConnection(settings)
                return nil
            } catch {
                #expect(error.reason.count > 10, "\(error)")
                #expect(!error.reason.contains(".c:"), "\(error)")
                return error.step
            }
        }
        #expect(step { $0.server = ServerAddress(host: "no-such-host.invalid") } == .name)
        #expect(step { $0.server = ServerAddress(host: "localhost", port: 1) } == .tcp)
        #expect(step { $0.trustFile = server.otherTrustFile } == .tls)
        #expect(step { $0.trustFile = "/no-such-file.pem" } == .tls)
        #expect(step { $0.serverName = "elsewhere.example" } == .tls)
        #expect(step { $0.trustFile = nil } == .tls)
        #expect(step { $0.key = NATSServer.stranger } == .key)
        #expect(step { _ in } == nil)
        let plain = try NATSServer(hasTLS: false)
        #expect(step { $0.server = ServerAddress(host: "localhost", port: plain.port) } == .tls)
    }

    @Test func `a right key is never refused, though the library loses some signatures`() throws {
        let server = try NATSServer(hasTLS: false)
        for _ in 0..<1_000 {
            let connection = try ServerConnection(server.settings(NATSServer.ulm))
            connection.close()
        }
    }

    @Test(arguments: [true, false]) func `the end of the server ends the connection`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let box = Mailbox(child)
        server.kill()
        guard case .ended(let error)? = box.next() else {
            Issue.record("the end is not reported")
            return
        }
        #expect(error.step == .connection)
        #expect(throws: ServerError.self) {
            try child.publish([1], to: Self.subjects.up("ulm", .open))
        }
    }

    @Test func `an inbox drops what exceeds its limit`() throws {
        let server = try NATSServer()
        let child = try ServerConnection(server.settings(NATSServer.ulm))
        let gate = try ServerConnection(
            server.settings(NATSServer.gate), inboxByteCountMax: 10_000)
        try gate.subscribe(to: Self.subjects.upPattern)
        try gate.roundTrip()
        for _ in 0..<10 {
            try child.publish(
                [UInt8](repeating: 0, count: 4_000), to: Self.subjects.up("ulm", .open))
        }
        try child.roundTrip()
        while gate.droppedCount < 8 {
            try gate.roundTrip()
        }
        #expect(gate.takeAll().count == 2)
    }
}

@Suite struct UserKeyTests {
    @Test func `a key is read as it was written`() throws {
        let key = NATSServer.ulm
        #expect(key.seed.hasPrefix("SU") && key.seed.utf8.count == 58)
        #expect(key.publicKey.hasPrefix("U") && key.publicKey.utf8.count == 56)
        #expect(UserKey(seed: key.seed)?.publicKey == key.publicKey)
        #expect(UserKey.isPublicKey(key.publicKey))
    }

    @Test func `a text with one wrong character is no key`() {
        let seed = Array(NATSServer.ulm.seed.utf8)
        for index in seed.indices {
            var wrong = seed
            wrong[index] = wrong[index] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
            #expect(UserKey(seed: String(decoding: wrong, as: UTF8.self)) == nil)
        }
        for text in ["", "SU", NATSServer.ulm.publicKey, NATSServer.ulm.seed.lowercased()] {
            #expect(UserKey(seed: text) == nil)
        }
        #expect(!UserKey.isPublicKey(NATSServer.ulm.seed))
    }
}
