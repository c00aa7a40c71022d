// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc
import Logging
import ZeroMQ

/// The way to the broker's thread for everything that is not on it: opening, draining, closing.
actor BrokerServer {
    private let thread: SocketThread
    private var loop: BrokerLoop?

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    func open(
        _ options: DaemonOptions, in context: Context, logger: Logger, hasPredecessor: Bool,
        heard: HeardConnections
    ) throws {
        var configuration = BrokerConfiguration(
            bus: options.endpoints[0], release: options.release, processID: UInt32(getpid()))
        configuration.graceMilliseconds = options.graceMilliseconds
        configuration.settleMilliseconds = options.settleMilliseconds
        configuration.deadlineMilliseconds = options.deadlineMilliseconds
        configuration.beatMilliseconds = options.beatMilliseconds
        configuration.greetingMilliseconds = options.greetingMilliseconds
        configuration.reattachMilliseconds = hasPredecessor ? options.reattachMilliseconds : 0
        configuration.epochNanoseconds = Self.epochNanoseconds()
        configuration.host = Self.hostName()
        let socket = try Self.socket(configuration, in: context)
        for endpoint in options.endpoints {
            try socket.bind(endpoint)
        }
        let broker = Broker(
            configuration: configuration, at: Instant(nanoseconds: MonotonicClock.now()))
        let loop = BrokerLoop(
            try BrokerShell(socket: socket, broker: broker, heard: heard, logger: logger))
        self.loop = loop
        thread.attach(loop)
    }

    /// Takes the rules that have been read in place of those before, or says why there are none.
    func load(_ files: Result<[RuleModelFile], RuleFilesError>) {
        loop?.load(files)
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the wall clock showed when the monotonic one stood at zero.
    private static func epochNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        return now &- MonotonicClock.now()
    }

    private static func socket(
        _ configuration: BrokerConfiguration, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let limits = configuration.limits
        let socket = try Socket(.router, in: context)
        // A message over the limit is refused with words; one far over it is not even read. That
        // bounds a frame, and not a message of many.
        try socket.set(.maxMessageSize, Int32(clamping: limits.messageBytes * 2))
        // What cannot be routed is said, not dropped. It is said of the frame that names the peer.
        try socket.set(.routerMandatory, 1)
        // Nobody takes over the routing ID of another connection.
        try socket.set(.routerHandover, 0)
        // Credit bounds what comes in; libzmq would drop the tail of a closed connection instead.
        try socket.set(.receiveHighWaterMark, 0)
        // Credit bounds what goes out, too. What a peer takes no more of waits in the outbox, where
        // its bytes are counted.
        try socket.set(.sendHighWaterMark, 1_024)
        // libzmq's own beat cuts healthy connections whose peers are behind with reading, and its
        // I/O thread answers it for a process that hangs. The bus has a beat of its own.
        try socket.set(.heartbeatInterval, 0)
        // Who does not finish in time is no peer, however slowly it goes on to speak.
        try socket.set(.handshakeInterval, Int32(clamping: configuration.greetingMilliseconds))
        // libzmq asks the doorkeeper about everybody, and turns away whom it gets no answer for;
        // without asking it turns away what speaks a protocol before ZMTP 3, or none.
        try socket.set(.zapDomain, Doorkeeper.domain)
        try socket.set(.zapEnforceDomain, 1)
        // After a restart everybody comes at once, and whoever finds the queue full tries again
        // later. The kernel has a bound of its own (net.core.somaxconn).
        try socket.set(.backlog, 4_096)
        // Everybody has been told of the end by then; a peer that does not read must not delay it.
        try socket.set(.linger, 500)
        try socket.monitor(at: ConnectionGuard.endpoint, events: ConnectionGuard.events)
        return socket
    }

    /// Lets what is under way end, within bounds, then tells every peer.
    func drain(milliseconds: UInt32) async {
        await withTaskGroup { group in
            group.addTask { await self.stop() }
            group.addTask {
                // Cancelled as soon as nothing is under way any more.
                try? await Task.sleep(for: .milliseconds(milliseconds))
                await self.stopWaiting()
            }
            await group.next()
            group.cancelAll()
        }
        loop?.dismissAll()
    }

    private func stop() async {
        guard let loop else {
            return
        }
        await withCheckedContinuation { loop.stop(resumingWhenIdle: $0) }
    }

    private func stopWaiting() {
        loop?.stopWaiting()
    }

    func close() {
        loop?.stopWaiting()
        thread.detach()
        loop = nil
    }
}
