// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Glibc
import Logging
import ZeroMQ

/// A running site: the event loop of its bridge and its gate, on one thread.
final class Site {
    /// The delay after a change before the status line and the metrics are updated.
    private static let statusDelay = Duration.milliseconds(100)
    /// The interval at which they are updated without a change of state, because counters grow.
    private static let statusInterval = Duration.seconds(1)

    private let file: String
    private var configuration: SiteConfiguration
    private let identity = SiteIdentity()
    private let signals: SiteSignals
    private let log: SiteLog
    private var service = SiteService()
    private var metrics: SiteMetricsServer?
    private var bridge: BridgeDriver
    private var gate: GateDriver?
    private var totals = SiteTotals()
    private var logged = LoggedChanges()
    private var statusDueAt = Duration.zero
    private var isStopping = false
    /// What the event loop waits for, and after its wait what it has found.
    private var poller = Poller()
    private var signalItem = 0

    /// Creates a site, whose connections begin to open. Throws an error for a person.
    ///
    /// - Parameters:
    ///   - configuration: What `file` says.
    ///   - file: The file that a reload reads.
    init(
        _ configuration: SiteConfiguration, from file: String, signals: SiteSignals,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.file = file
        self.signals = signals
        log = SiteLog(logger, of: configuration.name)
        bridge = try configuration.bridge(identity)
        gate = try configuration.gate()
        if let path = configuration.metricsSocket {
            metrics = try SiteMetricsServer(path: path, status)
        }
    }

    private var parentName: String {
        configuration.parent?.name.description ?? ""
    }

    private var now: Duration {
        MonotonicClock.time
    }

    // MARK: - The event loop

    /// Runs until SIGTERM or SIGINT. Throws `ZeroMQError` if the system cannot wait.
    func run() throws {
        let parent = configuration.parent.map { " below '\($0.name)'" } ?? ""
        log.log(
            .info, .started,
            "the site '\(configuration.name)'\(parent) runs as process \(getpid())")
        while !isStopping {
            try wait()
            turn()
        }
        leave()
    }

    private func turn() {
        let now = now
        if poller.isReadable(signalItem) {
            takeSignals(at: now)
        }
        bridge.turn(at: now, poller)
        gate?.turn(at: now, poller)
        exchange(at: now)
        report()
        service.timePassed(at: now)
        publishStatus(at: now)
    }

    /// Waits until a part has something, or its time has come.
    private func wait() throws(ZeroMQError) {
        let now = now
        poller.removeItems(from: 0)
        signalItem = poller.add(signals.queue.pollItem)
        bridge.add(to: &poller)
        gate?.add(to: &poller)
        let hasWork = bridge.hasWork || gate?.hasWork == true
        let wakes = Duration.earliest(
            bridge.deadline, gate?.deadline(at: now), service.deadline, statusDueAt)
        try poller.wait(until: hasWork ? now : wakes ?? now)
    }

    private func takeSignals(at now: Duration) {
        for signal in signals.queue.takeAll() {
            switch signal {
            case .stop: isStopping = true
            case .reload: reload(at: now)
            }
        }
    }

    /// Tells the bridge what the gate knows of the children, and the gate what the bridge knows of the sites
    /// above.
    private func exchange(at now: Duration) {
        guard let gate else {
            return
        }
        gate.setAncestors(bridge.namesAbove, parent: configuration.parent?.name, at: now)
        gate.children.timePassed(at: now)
        if let reports = gate.children.takeChanges() {
            bridge.childrenChanged(reports, at: now)
            statusDueAt = min(statusDueAt, now + Self.statusDelay)
        }
    }

    private func leave() {
        service.stopping()
        let now = now
        gate?.close("the parent's cascade-site stops", at: now)
        bridge.leave("the site leaves", at: now)
        metrics?.stop()
        log.log(.info, .stopped, "the site '\(configuration.name)' has left")
    }

    // MARK: - Reports

    private func report() {
        reportBridge()
        let gateReports = gate?.takeReports() ?? []
        for case .ended(_, let end) in gateReports {
            totals.ended(SiteTotals.kind(of: end))
        }
        for report in logged.admitted(gateReports) {
            log.log(report)
        }
        for change in gate?.takeServerChanges() ?? [] where logged.admits(change) {
            log.log(.notice, .server, change.sentence)
        }
    }

    private func reportBridge() {
        if bridge.isRootHeld {
            logged.rootIsHeld()
        }
        for loss in bridge.takeHomeLosses() where logged.admits(homeLoss: loss) {
            log.log(.warning, .home, "\(loss); trying again")
        }
        let ends = bridge.takeLinkEnds()
        for end in ends {
            totals.ended("uplink")
            logged.linkHasEnded(end)
        }
        let reports = bridge.takeReports()
        for report in reports {
            count(report)
            // Being up ends what was logged of the link.
            let end = logged.lastEnd
            if logged.admits(report) {
                log.log(report, below: configuration.parent?.name, after: end)
            }
            statusDueAt = min(statusDueAt, now + Self.statusDelay)
        }
        if !ends.isEmpty, let end = logged.endToLog(in: bridge.state) {
            log.log(.notice, .closed, "no link to '\(parentName)': \(end)")
        }
    }

    private func count(_ report: BridgeReport) {
        switch report {
        case .lateOutcome: totals.lateOutcomeCount += 1
        case .changeRefused: totals.refusedChangeCount += 1
        case .leftOut: totals.leftOutCount += 1
        case .changed, .homeRefused, .homeFault: break
        }
    }

    private var status: SiteStatus {
        var status = SiteStatus(name: configuration.name, parent: configuration.parent?.name)
        status.state = bridge.state
        status.isRootHeld = bridge.isRootHeld
        status.roundTrip = bridge.roundTrip
        (status.underWayCount, status.waitingCount) = bridge.crossingCount
        status.outcomes = bridge.outcomes
        status.uplinkTraffic = bridge.traffic
        status.totals = totals
        if let gate {
            status.children = gate.children.all
            status.isGateConnected = gate.isConnected
            status.gateTraffic = gate.traffic
            status.gateCounters = gate.counters
        }
        return status
    }

    private func publishStatus(at now: Duration) {
        let hasDialled = configuration.parent == nil || bridge.hasDialled
        if bridge.isRootHeld, hasDialled {
            service.sendReady()
        }
        guard statusDueAt <= now else {
            return
        }
        statusDueAt = now + Self.statusInterval
        bridge.measureRoundTrip(at: now)
        let status = status
        service.publish(status.line)
        metrics?.publish(status)
    }

    // MARK: - Reloading

    /// Reads the configuration again. Either all of it applies, or nothing.
    private func reload(at now: Duration) {
        service.reloading()
        var isBridgeNew = false
        do {
            let next = try SiteConfiguration(file: file)
            guard next.metricsSocket == configuration.metricsSocket else {
                throw SiteError("a change of metricsSocket takes a restart")
            }
            isBridgeNew = !next.hasSameBridge(as: configuration)
            try apply(next, at: now)
            logged = LoggedChanges()
            log.log(.info, .reloaded, "read \(file) again")
        } catch {
            log.log(
                .error, .configurationRefused,
                "the configuration is refused, and the one before stays in force: \(error)")
            isBridgeNew = false
        }
        if !isBridgeNew {
            service.reloaded()
        }
        statusDueAt = now
    }

    private func apply(_ next: SiteConfiguration, at now: Duration) throws {
        let nextGateConfiguration = try next.gateConfiguration()
        let keepsGate = next.hasSameGate(as: configuration)
        let keepsBridge = next.hasSameBridge(as: configuration)
        let nextGate = keepsGate ? nil : try next.gate()
        let nextBridge = keepsBridge ? nil : try next.bridge(identity)
        configuration = next
        if keepsGate {
            gate?.configure(nextGateConfiguration, at: now)
        } else {
            gate?.close("the parent's configuration has changed", at: now)
            gate = nextGate
        }
        if let nextBridge {
            bridge.leave("the site's configuration has changed", at: now)
            bridge = nextBridge
        } else {
            bridge.dialNow(at: now)
        }
        bridge.childrenChanged(gate?.children.all ?? [], at: now)
    }
}
