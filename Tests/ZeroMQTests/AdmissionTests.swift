// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZeroMQ

/// The peers that libzmq admits to a socket with a domain; the daemon's authenticator relies on it.
@Suite struct AdmissionTests {
    private static let endpoint = "inproc://admission"

    /// Connects to a socket with a domain. Returns the event that ended the handshake.
    private func ending(isEnforced: Bool) throws -> SocketMonitor.Event.Kind {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.set(.zapDomain, "test")
        try router.set(.zapEnforceDomain, isEnforced ? 1 : 0)
        try router.monitor(
            at: Self.endpoint,
            events: SocketMonitor.Events.handshakeSucceeded
                | SocketMonitor.Events.handshakeFailed)
        var monitor = try SocketMonitor(at: Self.endpoint, in: context)
        try router.bind(directory.endpoint)
        let dealer = try Socket.make(.dealer, in: context)
        try dealer.connect(directory.endpoint)
        var poller = Poller()
        poller.add(monitor.pollItem)
        while true {
            if let event = try monitor.next() { return event.kind }
            try #require(poller.wait(timeoutMilliseconds: 20_000) > 0)
        }
    }

    @Test func `without a handler, a domain alone admits every peer`() throws {
        #expect(try ending(isEnforced: false) == .handshakeSucceeded)
    }

    @Test func `without a handler, an enforced domain admits no peer`() throws {
        #expect(try ending(isEnforced: true) == .handshakeFailed)
    }
}
