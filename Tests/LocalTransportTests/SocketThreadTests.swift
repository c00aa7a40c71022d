// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing
import ZMTP
import ZeroMQ

@testable import LocalTransport

/// The transport as the driver of a ``SocketThread``, beside a socket of libzmq: as a daemon runs it.
@Suite struct SocketThreadTests {
    /// Returns each message to its peer. Only its thread uses it, once that has started.
    private final class EchoDriver: SocketThreadDriver, @unchecked Sendable {
        private var transport: Transport
        private let router: Socket
        private var message = Message()
        private(set) var turnCount = 0

        init(path: String, router endpoint: String, in context: Context) throws {
            transport = try Transport(.tested())
            try transport.listen(on: Listener(path: path))
            router = try Socket(.router, in: context)
            try router.bind(endpoint)
        }

        var pollItems: [PollItem] {
            [.fileDescriptor(transport.descriptor), .socket(router)]
        }

        func turn() -> SocketThread.Rest {
            turnCount += 1
            let now = MonotonicClock.time
            // The thread has waited for the transport's descriptor, too.
            transport.wait(until: now, at: now)
            while let event = transport.next(at: now) {
                if case .message(let id, let message) = event {
                    var frames = message.frames
                    while let body = transport.nextFrame(&frames) {
                        transport.send(body, hasMore: !frames.rest.isEmpty, to: id)
                    }
                }
            }
            transport.flush(at: now)
            echoOfRouter()
            guard !transport.hasWork else {
                return .poll
            }
            return transport.nextDeadline.map { .until(UInt64($0 / .nanoseconds(1))) } ?? .forever
        }

        private func echoOfRouter() {
            // An error would end the context, which the test keeps.
            while (try? router.receive(into: &message)) == true {
                let hasMore = message.hasMore
                _ = try? router.send(&message, more: hasMore)
            }
        }
    }

    private actor Resident {
        private let thread: SocketThread

        init(_ thread: SocketThread) {
            self.thread = thread
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            thread.asUnownedSerialExecutor()
        }

        func attach(_ driver: sending some SocketThreadDriver) {
            thread.attach(driver)
        }

        func detach() {
            thread.detach()
        }
    }

    @Test func `a socket thread drives a transport and a libzmq socket`() async throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let path = "\(directory.path)/own.sock"
        let other = "ipc://\(directory.path)/libzmq.sock"
        let thread = SocketThread(name: "transport-test")
        try thread.start()
        let resident = Resident(thread)
        await resident.attach(try EchoDriver(path: path, router: other, in: context))
        for endpoint in ["ipc://\(path)", other] {
            let dealer = try Dealer(endpoint, in: context)
            try dealer.socket.set(.receiveTimeout, 20_000)
            var message = Message()
            for number in 0..<200 {
                let isSent = try dealer.send([Array("\(number)".utf8), [7]])
                try #require(isSent)
                let hasFirst = try dealer.socket.receive(into: &message, waiting: true)
                try #require(hasFirst && message.hasMore)
                #expect(Array(message.bytes) == Array("\(number)".utf8))
                let hasSecond = try dealer.socket.receive(into: &message, waiting: true)
                try #require(hasSecond && !message.hasMore)
            }
        }
        await resident.detach()
        thread.stop()
    }
}
