// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing
import ZeroMQ

@testable import Cascade

@Suite struct ZeroMQConnectionTests {
    // A daemon that stops sends the last outcomes and closes the connection. A worker that slept
    // meanwhile finds the end and the outcomes together.
    @Test func `the end of a connection is reported behind its last message`() throws {
        let directory = try TemporaryDirectory()
        let endpoint = "ipc://\(directory.path)/bus"
        let context = try Context()
        var connection = ZeroMQConnection(endpoint: endpoint, context: context)
        do {
            let daemon = try Socket(.router, in: context)
            try daemon.set(.linger, 20_000)
            try daemon.bind(endpoint)
            try connection.open()
            let opened = try connection.change()
            #expect(opened == .ready)
            connection.send(Header(.beat), fields: [], payload: [])
            connection.flush()

            try wait(for: .socket(daemon))
            var routingID = Message()
            let hasGreeting = try daemon.receive(into: &routingID)
            let sent = [
                try daemon.send(bytes: routingID.bytes, more: true),
                try Header(.outcome).encoded().withUnsafeBytes { try daemon.send(bytes: $0) },
            ]
            #expect(hasGreeting && sent == [.sent, .sent])
        }
        var first: ConnectionChange?
        repeat {
            try wait(for: connection.pollItems[1])
            first = try connection.change()
        } while first == nil && !connection.hasWork
        let received = [try connection.receive()?.command]
        let behindMessage = try connection.change()
        let last = try connection.receive()
        let end = try connection.change()
        #expect(first == nil)
        #expect(received == [.outcome] && last == nil)
        #expect(behindMessage == nil && end == .broken)
        connection.abandon()
    }

    /// Far beyond the need of a loaded machine; only a failing test waits this long.
    private func wait(for item: PollItem) throws {
        var poller = Poller()
        poller.add(item)
        let count = try poller.wait(timeoutMilliseconds: 20_000)
        try #require(count > 0)
    }
}
