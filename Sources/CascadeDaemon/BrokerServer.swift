// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import Glibc
import Logging
import ZeroMQ

/// The way to the broker's thread for everything that is not on it: opening, draining, closing.
actor BrokerServer {
    private let thread: SocketThread
    private var loop: BrokerLoop?
    private var configuration: BrokerConfiguration?
    /// Where the bus is served.
    private var endpoints: [String] = []
    /// How long events under way may take to end.
    private(set) var stopMilliseconds: UInt32 = 0
    private var journal: JournalThread?
    /// What counts beside the files of policy.
    private var standard: DefaultPolicy?
    /// Whether the policy that stands was read from files.
    private(set) var hasPolicyFiles = false

    init(thread: SocketThread) {
        self.thread = thread
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    func open(
        _ options: DaemonOptions, release: String, at endpoint: Endpoint,
        of surroundings: ServiceSurroundings, in context: Context, logger: Logger,
        heard: HeardConnections, policy: Result<[PolicyFile], ConfigurationError>, key: ServerKey?
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
        let opened = try options.stateDirectory.map { try JournalThread.open($0) }
        configuration.keepsDurable = opened != nil
        stopMilliseconds = options.stopMilliseconds
        let socket = try Self.socket(configuration, in: context)
        let givenIDs = try GivenRoutingIDs(of: socket, in: context, heard)
        try endpoint.bind(socket, with: key)
        // Who can open the socket, and its group, is known once the socket is there.
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
        let handover = Predecessor.handover(to: &broker, of: surroundings, logger)
        let loop = BrokerLoop(
            try BrokerShell(
                socket: socket, broker: broker, heard: heard, givenIDs: givenIDs,
                journal: opened?.thread, logger: logger, report: ServiceReport(surroundings),
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

    /// Takes the rules that have been read in place of those before, or says why there are none.
    func load(_ files: Result<[RuleModelFile], RuleFilesError>) {
        loop?.load(files)
    }

    /// Takes nothing of a reload, since files of this kind are wrong.
    func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        loop?.refuse(kind, sentence)
    }

    /// Takes all that has been read in place of what was there. Whoever came with a key that is not
    /// there any more goes.
    func reload(_ files: DaemonFiles) {
        guard let loop, let standard else {
            return
        }
        loop.load(standard.joined(with: files.policy))
        hasPolicyFiles = !files.policy.isEmpty
        if let keys = files.keys {
            loop.keep(keys)
        }
        // Comes last: its log entry tells that the reload has ended.
        loop.load(.success(files.rules))
    }

    /// Goes by other options from now on, as far as that takes no restart.
    func reconfigure(_ options: DaemonOptions) {
        configuration?.take(options)
        configuration?.isShared = SocketAccess.isShared(endpoints)
        stopMilliseconds = options.stopMilliseconds
        if let configuration {
            loop?.reconfigure(configuration)
        }
    }

    /// The metrics, in Prometheus' text format.
    func metrics() -> String {
        loop?.metrics() ?? ""
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
        // its bytes are counted: libzmq has so many messages of 32 KiB, and large frames.
        try socket.set(.sendHighWaterMark, 32)
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
        journal?.stop()
        journal = nil
    }
}

extension BrokerConfiguration {
    /// What a reload may change.
    fileprivate mutating func take(_ options: DaemonOptions) {
        graceMilliseconds = options.graceMilliseconds
        settleMilliseconds = options.settleMilliseconds
        deadlineMilliseconds = options.deadlineMilliseconds
        resumeMilliseconds = options.resumeMilliseconds
        metricsNodes = options.metricsNodes
        limits = options.limits
    }
}
