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

    /// Begins to serve. Returns the limits of connections.
    ///
    /// - Parameter libzmq: serves tcp, and unix sockets if the options say so.
    func open(
        _ options: DaemonOptions, release: String, at endpoint: Endpoint,
        of serviceEnvironment: ServiceEnvironment, libzmq: Libzmq?, logger: Logger,
        policy: Result<[PolicyFile], ConfigurationError>, key: ServerKey?
    ) throws -> DescriptorLimits {
        var configuration = BrokerConfiguration(
            bus: endpoint.names[0], release: release, processID: UInt32(getpid()))
        configuration.apply(options)
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
        let listensItself = options.transport == LocalTransportChoice.builtin.rawValue
        let listeners = listensItself ? try endpoint.listen() : []
        var libzmqPeers: ZeroMQPeers?
        if let libzmq {
            libzmqPeers = try ZeroMQPeers(
                serving: endpoint, configuration, libzmq, key: key, onlyTCP: listensItself)
        }
        // The sockets' modes and groups are known only now.
        configuration.isShared = SocketAccess.isShared(endpoint.names)
        configuration.userID = geteuid()
        configuration.groupID = getegid()
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
        let values = options.stateDirectory.flatMap { directory in
            Predecessor.values(
                to: &broker, in: directory, hasHandover: handover.isRestored, logger)
        }
        let limits = try DescriptorLimits(
            options.limits, descriptorMax: DescriptorLimits.raiseDescriptorLimit(),
            isShared: configuration.isShared, usesLibzmq: libzmq != nil)
        let local = try LocalPeers.serve(
            listeners, configuration, limits, sharesPeerIDs: libzmq != nil)
        let loop = BrokerLoop(
            try BrokerShell(
                transports: PeerTransports(local, libzmqPeers), broker: broker,
                journal: opened?.thread, logger: logger, report: ServiceReport(serviceEnvironment),
                handovers: [handover.keeper, values].compactMap(\.self)))
        self.loop = loop
        if let opened {
            try opened.thread.start()
            journal = opened.thread
            BrokerLog(logger).opened(opened.report)
            loop.recover(opened.report)
        }
        thread.attach(loop)
        return limits
    }

    /// Replaces the rules, or reports why the files could not be read.
    func load(_ files: Result<[RuleModelFile], GuardedFileError>) {
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
        configuration?.apply(options)
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
        RealtimeClock.now() &- MonotonicClock.now()
    }

    /// Waits until the messages being handled have ended, for at most `milliseconds`, then
    /// dismisses every peer.
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
        loop?.closeAll()
        thread.detach()
        loop = nil
        journal?.stop()
        journal = nil
    }
}

extension BrokerConfiguration {
    /// Copies the options that a reload may change.
    fileprivate mutating func apply(_ options: DaemonOptions) {
        graceMilliseconds = options.graceMilliseconds
        settleMilliseconds = options.settleMilliseconds
        deadlineMilliseconds = options.deadlineMilliseconds
        resumeMilliseconds = options.resumeMilliseconds
        metricsNodes = options.metricsNodes
        limits = options.limits
    }
}
