// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Glibc
import NATS
import Testing
import ZeroMQ

/// The link over real servers that are killed, stopped and slow, with 64 frames under way.
@Suite(.serialized) struct LinkOverNATSTests {
    /// Waits until so many frames have returned to the child; fails if that takes too long.
    private func expectProgress(_ child: EchoChild, to count: Int) {
        var reached = 0
        while reached < count {
            var item = pollfd(fd: child.progress.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, 20_000) > 0 else {
                Issue.record("only \(reached) of \(count) frames have returned")
                return
            }
            reached = child.progress.takeAll().last ?? reached
        }
    }

    /// Stops both ends, and expects that one link has carried all frames, in their order.
    private func stop(_ child: EchoChild, _ gate: EchoGate) {
        child.stop()
        gate.stop()
        #expect(child.isInOrder)
        #expect(child.openedCount == 1)
        #expect(child.ends.isEmpty)
        #expect(gate.ends.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a link outlives kills of the server, and each frame comes once and in order`(
        hasTLS: Bool
    ) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let gate = try EchoGate(server)
        let child = try EchoChild(server, milestone: 500)
        try gate.start()
        try child.start()
        for kill in 1...3 {
            expectProgress(child, to: 2_000 * kill)
            server.kill()
            try server.start()
        }
        expectProgress(child, to: 8_000)
        stop(child, gate)
        #expect(child.connectionCount == 4)
    }

    @Test(arguments: [true, false])
    func `a server that stops for three seconds ends nothing`(hasTLS: Bool) throws {
        let server = try NATSServer(hasTLS: hasTLS)
        let gate = try EchoGate(server)
        let child = try EchoChild(server, milestone: 100)
        try gate.start()
        try child.start()
        expectProgress(child, to: 1_000)
        server.pause()
        // What was under way may still arrive; then nothing does.
        var silentFor: Int32 = 0
        var item = pollfd(fd: child.progress.descriptor, events: Int16(POLLIN), revents: 0)
        while silentFor < 3_000 {
            let hasProgress = poll(&item, 1, 500) > 0 && !child.progress.takeAll().isEmpty
            silentFor = hasProgress ? 0 : silentFor + 500
        }
        server.resume()
        expectProgress(child, to: 3_000)
        stop(child, gate)
        #expect(child.connectionCount == 1)
    }

    @Test func `a link publishes no message that is too large for the server`() throws {
        let server = try NATSServer(pendingByteCountMax: 32_768)
        let gate = try EchoGate(server)
        let child = try EchoChild(server, milestone: 100, frameByteCount: 10_000)
        try gate.start()
        try child.start()
        expectProgress(child, to: 200)
        stop(child, gate)
    }

    @Test func `messages that a slow gate loses are sent again`() throws {
        let server = try NATSServer()
        let gate = try EchoGate(server, inboxByteCountMax: 100_000)
        let child = try EchoChild(server, milestone: 100, frameByteCount: 20_000)
        try gate.start()
        try child.start()
        expectProgress(child, to: 100)
        stop(child, gate)
        #expect(gate.dropped > 0)
    }
}
