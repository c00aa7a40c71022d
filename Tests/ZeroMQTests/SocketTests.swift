// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeTestSupport
import Glibc
import Testing

@testable import ZeroMQ

@Suite struct SocketTests {
    @Test func `a DEALER and a ROUTER exchange messages over ipc`() throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.bind(directory.endpoint)
        let dealer = try Socket.make(.dealer, in: context)
        try dealer.connect(directory.endpoint)

        #expect(try dealer.send(text: "header", more: true) == .sent)
        #expect(try dealer.send(text: String(repeating: "p", count: 20_000)) == .sent)

        var identity = Message()
        var frame = Message()
        try router.next(into: &identity)
        let identityHasMore = identity.hasMore
        #expect(identityHasMore)
        try router.next(into: &frame)
        let header = frame.text
        let headerHasMore = frame.hasMore
        #expect(header == "header")
        #expect(headerHasMore)
        try router.next(into: &frame)
        let payloadBytes = frame.byteCount
        let payloadHasMore = frame.hasMore
        #expect(payloadBytes == 20_000)
        #expect(!payloadHasMore)

        #expect(try router.send(bytes: identity.bytes, more: true) == .sent)
        #expect(try router.send(&frame) == .sent)
        let bytesAfterSend = frame.byteCount
        #expect(bytesAfterSend == 0)
        try dealer.next(into: &frame)
        let answerBytes = frame.byteCount
        #expect(answerBytes == 20_000)
    }

    @Test func `receiving from an empty queue is not an error`() throws {
        let context = try Context()
        let dealer = try Socket.make(.dealer, in: context)
        var frame = Message(text: "left over")
        #expect(try !dealer.receive(into: &frame))
    }

    @Test func `a send to a full queue leaves the message unchanged`() throws {
        let context = try Context()
        let dealer = try Socket.make(.dealer, in: context)
        var frame = Message(text: "kept")
        #expect(try dealer.send(&frame) == .wouldBlock)
        let text = frame.text
        #expect(text == "kept")
    }

    @Test func `a mandatory ROUTER reports an unknown peer`() throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.set(.routerMandatory, 1)
        try router.bind(directory.endpoint)
        let identity = Message(text: "unknown")
        #expect(try router.send(bytes: identity.bytes, more: true) == .unreachable)
    }

    // The kernel's credentials of the peer, by which the broker authorizes it.
    @Test func `on ipc the peer address ends in uid, gid and pid`() throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.bind(directory.endpoint)
        let dealer = try Socket.make(.dealer, in: context)
        try dealer.connect(directory.endpoint)
        #expect(try dealer.send(text: "hello") == .sent)

        var frame = Message()
        try router.next(into: &frame)
        try router.next(into: &frame)
        let property = frame.property("Peer-Address")
        let address = try #require(property)
        #expect(address.hasSuffix(":\(getuid()):\(getgid()):\(getpid())"))
        let source = frame.sourceFileDescriptor
        let descriptor = try #require(source)
        var credentials = (uid: uid_t.max, gid: gid_t.max, pid: pid_t(0))
        let result = cascade_peer_credentials(
            descriptor, &credentials.uid, &credentials.gid, &credentials.pid)
        #expect(result == 0)
        #expect(credentials == (getuid(), getgid(), getpid()))
        let missing = frame.property("No-Such-Property")
        #expect(missing == nil)
    }

    @Test func `an error names the call, the endpoint and the reason`() throws {
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) {
            try router.bind("ipc:///nonexistent/bus")
        }
        #expect(error?.code == ENOENT)
        #expect(error?.description == "bind ipc:///nonexistent/bus: No such file or directory")
    }

    @Test func `after shutdown every call reports the termination`() throws {
        let context = try Context()
        let dealer = try Socket.make(.dealer, in: context)
        context.shutdown()
        var frame = Message()
        let error = #expect(throws: ZeroMQError.self) { try dealer.receive(into: &frame) }
        #expect(error?.isTermination == true)
    }

    @Test func `libzmq accepts every option`() throws {
        let context = try Context()
        let router = try Socket.make(.router, in: context)
        try router.set(.sendHighWaterMark, 8)
        try router.set(.receiveHighWaterMark, 0)
        try router.set(.routerMandatory, 1)
        try router.set(.routerHandover, 0)
        try router.set(.maxMessageSize, 1 << 20)
        try router.set(.handshakeInterval, 10_000)
        try router.set(.reconnectInterval, 100)
        try router.set(.reconnectIntervalMax, 1_000)
        try router.set(.immediate, 1)
        try router.set(.backlog, 256)
        try router.set(.useFileDescriptor, -1)
        try router.set(.sendTimeout, 0)
        try router.set(.receiveTimeout, 0)
        try router.set(.sendBuffer, -1)
        try router.set(.receiveBuffer, -1)
        try router.set(.heartbeatInterval, 0)
        try router.set(.heartbeatTimeout, 0)
        try router.set(.heartbeatTimeToLive, 0)
        try router.set(.zapEnforceDomain, 1)
        try router.set(.zapDomain, "cascade")
        try router.set(.ipv6, 1)
        try router.set(.tcpKeepalive, 1)
        let subscriber = try Socket.make(.sub, in: context)
        try subscriber.set(.subscribe, "")
    }
}
