// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import Glibc
import Logging
import ZeroMQ

/// Runs the broker on its thread: opens, reconfigures, drains and closes it from other tasks.
actor BrokerServer {
    private let thread: SocketThread
    private var loop: BrokerLoop?
    private var configuration: BrokerConfiguration?
    /// The endpoints that the daemon serves.
    private var endpoints: [String] = []
    /// How long messages being handled may take to end when the daemon stops.
    private(set) var stopMilliseconds: UInt32 = 0
    private var journal: JournalThread?
    /// The rules that apply beside the policy files.
    private var standard: DefaultPolicy?
    /// Whether the policy in force was read from files.
    private(set) var hasPolicyFiles = false

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    func open(
        _ options: DaemonOptions, release: String, at endpoint: Endpoint,
        of serviceEnvironment: ServiceEnvironment, in context: Context, logger: Logger,
        activity: ConnectionActivity, policy: Result<[PolicyFile], ConfigurationError>,
        key: ServerKey?
    ) throws {
        var configuration = BrokerConfiguration(
            bus: endpoint.names[0], release: release, processID: UInt32(getpid()))
        configuration.take(options)
        configuration.beatMilliseconds = options.beatMilliseconds
        configuration.greetingMilliseconds = options.greetingMilliseconds
        configuration.reattachMilliseconds =
            endpoint.hasPredecessor ? options.reattachMilliseconds : 0
        configuration.epochNanoseconds = Self.epochNanoseconds()
        configuration.host = Self.hostName()
        let opened = try options.stateDirectory.map { path in
            try JournalThread.open(path, options.limits)
        }
        configuration.keepsDurable = opened != nil
        stopMilliseconds = options.stopMilliseconds
        let socket = try Self.socket(configuration, in: context)
        let assignedIDs = try AssignedRoutingIDs(of: socket, in: context, activity)
        try endpoint.bind(socket, with: key)
        // The socket's mode and group are known only after the bind.
        configuration.isShared = SocketAccess.isShared(endpoint.names)
        configuration.userID = geteuid()
        self.configuration = configuration
        endpoints = endpoint.names
        let standard = DefaultPolicy(servedAt: endpoint.names)
        self.standard = standard
        switch policy {
        case .success(let files):
            configuration.policy = standard.joined(with: files)
            hasPolicyFiles = !files.isEmpty
        case .failure(let error):
            configuration.policy = .closed(because: "the policy cannot be read: \(error)")
        }
        var broker = Broker(
            configuration: configuration, at: Instant(nanoseconds: MonotonicClock.now()))
        let handover = Predecessor.handover(to: &broker, of: serviceEnvironment, logger)
        let loop = BrokerLoop(
            try BrokerShell(
                socket: socket, broker: broker, activity: activity, assignedIDs: assignedIDs,
                journal: opened?.thread, logger: logger, report: ServiceReport(serviceEnvironment),
                handover: handover))
        self.loop = loop
        if let opened {
            try opened.thread.start()
            journal = opened.thread
            BrokerLog(logger).opened(opened.report)
            loop.recover(opened.report)
        }
        thread.attach(loop)
    }

    /// Replaces the rules, or reports why the files could not be read.
    func load(_ files: Result<[RuleModelFile], RuleFilesError>) {
        loop?.load(files)
    }

    /// Reports that files of this kind cannot be used; a reload with such a file changes nothing.
    func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        loop?.refuse(kind, sentence)
    }

    /// Replaces policy, keys and rules, and ends the sessions of peers whose key is no longer
    /// authorized.
    func reload(_ files: DaemonFiles) {
        guard let loop, let standard else {
            return
        }
        loop.load(standard.joined(with: files.policy))
        hasPolicyFiles = !files.policy.isEmpty
        if let keys = files.keys {
            loop.endSessions(withoutKeyIn: keys)
        }
        // The rules come last: loading them reports the end of the reload.
        loop.load(.success(files.rules))
    }

    /// Applies the options that can change without a restart.
    func reconfigure(_ options: DaemonOptions) {
        configuration?.take(options)
        configuration?.isShared = SocketAccess.isShared(endpoints)
        stopMilliseconds = options.stopMilliseconds
        if let configuration {
            loop?.reconfigure(configuration)
        }
    }

    /// The metrics in Prometheus' text format.
    func metrics() -> String {
        loop?.metrics() ?? ""
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The wall-clock time at the monotonic clock's zero, in nanoseconds since 1970.
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
        // The broker refuses a message over the limit with an error; libzmq closes the connection
        // of one far over it. This bounds a frame, not a message of many frames.
        try socket.set(.maxMessageSize, Int32(clamping: limits.messageBytes * 2))
        // A send to an unknown routing ID fails instead of being dropped. The failure shows at the
        // frame that names the peer.
        try socket.set(.routerMandatory, 1)
        // A connection cannot take over the routing ID of another one.
        try socket.set(.routerHandover, 0)
        // Credit bounds the receive queue; a limit in libzmq would drop messages of a closed
        // connection.
        try socket.set(.receiveHighWaterMark, 0)
        // Credit bounds the send queue, too. Frames beyond this limit wait in the outbox, which
        // counts their bytes: libzmq queues at most this many messages of 32 KiB, or large frames.
        try socket.set(.sendHighWaterMark, 32)
        // libzmq's own heartbeat closes healthy connections whose peers are slow to read, and its
        // I/O thread answers for a process that hangs. The bus has a heartbeat of its own.
        try socket.set(.heartbeatInterval, 0)
        // Bounds the whole ZMTP handshake, however slowly the peer continues it.
        try socket.set(.handshakeInterval, Int32(clamping: configuration.greetingMilliseconds))
        // libzmq asks the authenticator about every connection and refuses it without an answer.
        // With a domain set, libzmq also refuses protocols older than ZMTP 3.
        try socket.set(.zapDomain, Authenticator.domain)
        try socket.set(.zapEnforceDomain, 1)
        // After a restart all peers connect at once; a peer that finds the queue full tries again
        // later. The kernel has a bound of its own (net.core.somaxconn).
        try socket.set(.backlog, 4_096)
        // All peers have been told of the end by then; a peer that does not read must not delay it.
        try socket.set(.linger, 500)
        try socket.monitor(at: ConnectionGuard.endpoint, events: ConnectionGuard.events)
        return socket
    }

    /// Waits until the messages being handled have ended, for at most `milliseconds`, then tells
    /// every peer that the daemon ends.
    func drain(milliseconds: UInt32) async {
        await withTaskGroup { group in
            group.addTask { await self.stop() }
            group.addTask {
                // Cancelled as soon as the broker is idle.
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
        journal?.stop()
        journal = nil
    }
}

extension BrokerConfiguration {
    /// Copies the options that a reload may change.
    fileprivate mutating func take(_ options: DaemonOptions) {
        graceMilliseconds = options.graceMilliseconds
        settleMilliseconds = options.settleMilliseconds
        deadlineMilliseconds = options.deadlineMilliseconds
        resumeMilliseconds = options.resumeMilliseconds
        metricsNodes = options.metricsNodes
        limits = options.limits
    }
}
