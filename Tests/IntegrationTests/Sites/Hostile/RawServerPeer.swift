// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS
import Testing
import ZeroMQ

/// A connection to the server of a realm that publishes any bytes a test wants, with the key of a site.
@FaultThread
class RawServerPeer {
    let subjects: LinkSubjects
    private let connection: ServerConnection
    /// What the server has refused.
    private(set) var refusals: [String] = []

    init(_ name: String, with key: SiteServer.Key, on server: SiteServer) throws {
        subjects = LinkSubjects(realm: "main", parent: "hq")
        connection = try ServerConnection(
            ConnectionSettings(
                server: ServerAddress(host: "localhost", port: UInt16(server.port)),
                key: #require(UserKey(seed: key.seed)), trustFile: nil, name: name))
    }

    var now: Duration {
        MonotonicClock.time
    }

    func subscribe(to pattern: String) throws {
        try connection.subscribe(to: pattern)
        try connection.roundTrip()
    }

    func publish(_ bytes: [UInt8], to subject: String) throws {
        try connection.publish(bytes, to: subject)
    }

    /// Waits until the server has all that was published.
    func synchronize() throws {
        try connection.roundTrip(timeout: .seconds(20))
    }

    // MARK: - The part of a child or a gate

    func received(_ message: ReceivedMessage) throws {}
    func timePassed() throws {}

    /// Takes what arrives, until a condition holds.
    func wait(for what: String, _ isReached: () throws -> Bool) throws {
        let end = now + .milliseconds(Patience.milliseconds)
        while try !isReached() {
            try #require(now < end, "did not come in time: \(what)")
            var poller = Poller()
            _ = poller.add(connection.pollItems)
            _ = try poller.wait(timeoutMilliseconds: 50)
            try takeAll()
        }
    }

    /// Takes what has arrived.
    func takeAll() throws {
        for item in connection.takeAll() {
            switch item {
            case .message(let message): try received(message)
            case .refused(let error): refusals.append(error.description)
            case .noResponders, .unpublished: break
            case .ended(let error): try #require(Bool(false), "the server has gone: \(error)")
            }
        }
        try timePassed()
    }
}
