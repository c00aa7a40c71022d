// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZeroMQ

@Suite struct SocketMonitorTests {
    @Test func `the monitor reports a peer's connection and disconnection`() throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.monitor(
            at: "inproc://monitor",
            events: SocketMonitor.Events.accepted | SocketMonitor.Events.disconnected
                | SocketMonitor.Events.stopped)
        var monitor = try SocketMonitor(at: "inproc://monitor", in: context)
        try router.bind(directory.endpoint)

        let accepted: SocketMonitor.Event
        do {
            let dealer = try Socket.make(.dealer, in: context)
            try dealer.connect(directory.endpoint)
            #expect(try dealer.send(text: "hello") == .sent)
            var frame = Message()
            try router.next(into: &frame)
            accepted = try monitor.next(.accepted)
        }
        let disconnected = try monitor.next(.disconnected)
        #expect(accepted.fileDescriptor == disconnected.fileDescriptor)
        let further = try monitor.next()
        #expect(further == nil)

        router.stopMonitoring()
        _ = try monitor.next(.stopped)
    }
}
