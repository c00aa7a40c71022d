// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy
import Glibc
import Logging
import ZeroMQ

/// The way to the broker's thread for everything that is not on it: opening, draining, closing.
actor BrokerServer {
    private let thread: SocketThread
    private var loop: BrokerLoop?
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
        _ options: DaemonOptions, in context: Context, logger: Logger, hasPredecessor: Bool,
        policy: Result<[PolicyFile], PolicyFilesError>, key: ServerKey?
    ) throws {
        var configuration = BrokerConfiguration(
            bus: options.endpoints[0], release: options.release, processID: UInt32(getpid()))
        configuration.graceMilliseconds = options.graceMilliseconds
        configuration.settleMilliseconds = options.settleMilliseconds
        configuration.deadlineMilliseconds = options.deadlineMilliseconds
        configuration.beatMilliseconds = options.beatMilliseconds
        configuration.reattachMilliseconds = hasPredecessor ? options.reattachMilliseconds : 0
        configuration.epochNanoseconds = Self.epochNanoseconds()
        configuration.host = Self.hostName()
        let socket = try Self.socket(configuration.limits, in: context)
        for endpoint in options.endpoints where !endpoint.hasPrefix(Endpoint.tcp) {
            try socket.bind(endpoint)
        }
        // What is set from here on is for the endpoints that follow.
        try key?.secure(socket)
        for endpoint in options.endpoints where endpoint.hasPrefix(Endpoint.tcp) {
            try socket.set(.handshakeInterval, 10_000)
            try socket.set(.ipv6, endpoint.contains("[") ? 1 : 0)
            try socket.bind(endpoint)
        }
        // The socket's group is known once the socket is there.
        let standard = DefaultPolicy(servedAt: options.endpoints)
        self.standard = standard
        switch policy {
        case .success(let files):
            configuration.policy = standard.joined(with: files)
            hasPolicyFiles = !files.isEmpty
        case .failure(let error):
            configuration.policy = .closed(because: "the policy cannot be read: \(error)")
        }
        let broker = Broker(
            configuration: configuration, at: Instant(nanoseconds: MonotonicClock.now()))
        let loop = BrokerLoop(
            try BrokerShell(socket: socket, broker: broker, logger: logger))
        self.loop = loop
        thread.attach(loop)
    }

    /// Takes the rules that have been read in place of those before.
    func load(_ files: [RuleModelFile]) {
        loop?.load(files)
    }

    /// What is wrong with these files of rules; `nil` if they can be taken.
    func refusal(of rules: [RuleModelFile]) -> String? {
        loop?.refusal(of: rules)
    }

    /// Takes all that has been read in place of what was there. Whoever came with a key that is not
    /// there any more goes.
    func reload(_ rules: [RuleModelFile], _ policy: [PolicyFile], _ keys: AuthorizedKeys?) {
        guard let loop, let standard else {
            return
        }
        loop.load(rules)
        loop.load(standard.joined(with: policy))
        hasPolicyFiles = !policy.isEmpty
        if let keys {
            loop.keep(keys)
        }
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
        // With a domain, libzmq turns away what speaks a protocol before ZMTP 3, or none, and asks
        // the doorkeeper about the others.
        try socket.set(.zapDomain, Doorkeeper.domain)
        try socket.set(.zapEnforceDomain, 1)
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
