// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(1))) struct SocketThreadDriverTests {
    /// Sends each message back from the driver's turn; opened and closed by jobs.
    private actor Echo: SocketThreadDriver {
        private let thread: SocketThread
        private let context: Context
        private var socket: Socket?
        private var frame = Message()

        init(on thread: SocketThread, in context: Context) {
            self.thread = thread
            self.context = context
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        func open(at endpoint: String) throws {
            let socket = try Socket.make(.pair, in: context)
            try socket.bind(endpoint)
            self.socket = consume socket
            thread.attach(self)
        }

        func close() {
            thread.detach()
            socket = nil
        }

        nonisolated func turn() -> SocketThread.Rest {
            assumeIsolated { $0.echo() }
        }

        nonisolated var pollItems: [PollItem] {
            assumeIsolated { $0.items }
        }

        private var items: [PollItem] {
            switch socket {
            case .some(let socket): [.socket(socket)]
            case .none: []
            }
        }

        private func echo() -> SocketThread.Rest {
            do {
                guard let received = try socket?.receive(into: &frame), received else {
                    return .forever
                }
                _ = try socket?.send(&frame)
            } catch {
                Issue.record(error)
            }
            return .poll
        }
    }

    @Test func `an actor drives its sockets from the thread's turns`() async throws {
        let directory = try TemporaryDirectory()
        let context = try Context()
        let thread = SocketThread(name: "test-echo")
        try thread.start()
        let echo = Echo(on: thread, in: context)
        try await echo.open(at: directory.endpoint)
        try exchange(100, at: directory.endpoint, in: context)
        await echo.close()
        thread.stop()
    }

    private func exchange(_ count: Int, at endpoint: String, in context: Context) throws {
        let client = try Socket.make(.pair, in: context)
        try client.connect(endpoint)
        for index in 0..<count {
            #expect(try client.send(text: "message \(index)") == .sent)
            #expect(try client.nextText() == "message \(index)")
        }
    }

    /// Takes a turn per millisecond, and reports the third.
    private final class Ticker: SocketThreadDriver, @unchecked Sendable {
        let ticks: AsyncStream<UInt64>
        private let continuation: AsyncStream<UInt64>.Continuation
        private var deadline = MonotonicClock.now() + 1_000_000

        init() { (ticks, continuation) = AsyncStream.makeStream() }

        var pollItems: [PollItem] { [] }

        func turn() -> SocketThread.Rest {
            let now = MonotonicClock.now()
            if now >= deadline {
                continuation.yield(now - deadline)
                deadline = now + 1_000_000
            }
            return .until(deadline)
        }
    }

    @Test func `a deadline ends the wait`() async throws {
        let thread = SocketThread(name: "test-ticker")
        let ticker = Ticker()
        try thread.start(driver: ticker)
        var count = 0
        for await _ in ticker.ticks {
            count += 1
            if count == 3 { break }
        }
        thread.stop()
        #expect(count == 3)
    }

    @Test func `a wait is never shorter than its deadline requires`() {
        #expect(Poller.milliseconds(until: 5, from: 5) == 0)
        #expect(Poller.milliseconds(until: 5, from: 6) == 0)
        #expect(Poller.milliseconds(until: 1, from: 0) == 1)
        #expect(Poller.milliseconds(until: 1_000_000, from: 0) == 1)
        #expect(Poller.milliseconds(until: 1_000_001, from: 0) == 2)
        #expect(Poller.milliseconds(until: .max, from: 0) == Int(Int32.max))
    }
}
