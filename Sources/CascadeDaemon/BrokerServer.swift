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
        _ options: DaemonOptions, at endpoint: Endpoint, of surroundings: ServiceSurroundings,
        in context: Context, logger: Logger
    ) throws {
        var configuration = BrokerConfiguration(
            bus: endpoint.names[0], release: options.release, processID: UInt32(getpid()))
        configuration.graceMilliseconds = options.graceMilliseconds
        configuration.settleMilliseconds = options.settleMilliseconds
        configuration.deadlineMilliseconds = options.deadlineMilliseconds
        configuration.beatMilliseconds = options.beatMilliseconds
        if endpoint.hasPredecessor {
            configuration.reattachMilliseconds = options.reattachMilliseconds
        }
        configuration.epochNanoseconds = Self.epochNanoseconds()
        configuration.host = Self.hostName()
        let socket = try Self.socket(configuration.limits, in: context)
        try endpoint.bind(socket)
        var broker = Broker(
            configuration: configuration, at: Instant(nanoseconds: MonotonicClock.now()))
        let handover = Predecessor.handover(to: &broker, of: surroundings, logger)
        let loop = BrokerLoop(
            try BrokerShell(
                socket: socket, broker: broker, logger: logger,
                report: ServiceReport(surroundings), handover: handover))
        self.loop = loop
        thread.attach(loop)
    }

    /// Takes the rules that have been read in place of those before, or says why there are none.
    ///
    /// Returns what is wrong with them, if somebody is to be told.
    func load(_ files: Result<[RuleModelFile], RuleFilesError>) -> String? {
        loop?.load(files)
        return loop?.problem
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
        _ limits: Limits, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(.router, in: context)
        // A message over the limit is refused with words; one far over it is not even read.
        try socket.set(.maxMessageSize, Int32(clamping: limits.messageBytes * 2))
        try socket.set(.routerMandatory, 1)
        try socket.set(.routerHandover, 0)
        // Credit bounds what comes in; libzmq would drop the tail of a closed connection instead.
        try socket.set(.receiveHighWaterMark, 0)
        try socket.set(.sendHighWaterMark, Int32(clamping: limits.credit * 8))
        // On a local socket a handshake takes a moment; what takes longer is no peer.
        try socket.set(.handshakeInterval, 1_000)
        // With a domain, libzmq turns away what speaks a protocol before ZMTP 3, or none. Nobody is
        // asked about the others: the socket's permissions decide.
        try socket.set(.zapDomain, "cascade")
        try socket.set(.backlog, 512)
        try socket.set(.linger, 500)
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
