// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSite
import ZeroMQ

/// Runs a bridge: gives it the messages of its two sessions and the time, and performs its effects.
final class BridgeDriver {
    /// The time that the buses have to confirm that the bridge has left.
    private static let leaveDuration = Duration.seconds(1)

    private var bridge: Bridge
    private let home: any BusConnection
    private let above: (any UpperLink)?
    private var homeDelay = ReconnectDelay()
    /// When the connection to the site's own bus is opened again; `nil` while there is one.
    private var homeReconnectsAt: Duration?
    /// The reports of the bridge that the owner has not taken.
    private var reports: [BridgeReport] = []
    /// An array for the effects of one input, which keeps its memory for the next one.
    private var effects: [BridgeEffect] = []
    /// The sentences for the log.
    private var homeLosses: [String] = []
    private(set) var linkEnds: [String] = []
    /// Whether the first attempt to open a link has ended either way.
    private(set) var hasDialled = false
    // The items of both connections in the poller of the event loop.
    private var homeItems = 0..<0
    private var aboveItems = 0..<0

    /// - Parameters:
    ///   - home: The connection to the site's own bus, which is not open yet.
    ///   - above: The link to the parent; `nil` for the root site.
    init(
        _ bridge: consuming Bridge, home: any BusConnection, above: (any UpperLink)?
    ) {
        self.bridge = bridge
        self.home = home
        self.above = above
        home.open()
    }

    /// Adds what wakes the event loop to its poller.
    func add(to poller: inout Poller) {
        homeItems = poller.add(home.pollItems)
        aboveItems = poller.add(above?.pollItems ?? [])
    }

    var hasWork: Bool {
        home.hasWork || above?.hasWork ?? false
    }

    var deadline: Duration? {
        .earliest(bridge.deadline, home.deadline, homeReconnectsAt, above?.deadline)
    }

    // MARK: - What the owner reads

    var state: BridgeState { bridge.state }
    var isRootHeld: Bool { bridge.holdsRoot }
    var namesAbove: [String] { bridge.namesAboveSite }
    var outcomes: CrossingOutcomes { bridge.outcomes }
    var roundTrip: Duration? { bridge.roundTrip }
    var crossingCount: (underWay: Int, waiting: Int) { bridge.crossingCount }
    var traffic: LinkTraffic { above?.traffic ?? LinkTraffic() }

    func takeReports() -> [BridgeReport] {
        defer { reports = [] }
        return reports
    }

    /// Why the connection to the site's own bus was lost, since the last call.
    func takeHomeLosses() -> [String] {
        defer { homeLosses = [] }
        return homeLosses
    }

    /// Why links have ended, since the last call.
    func takeLinkEnds() -> [String] {
        defer { linkEnds = [] }
        return linkEnds
    }

    // MARK: - Inputs

    /// - Parameter poller: The poller of the event loop, after its wait.
    func turn(at now: Duration, _ poller: Poller) {
        reconnectIfDue(at: now)
        receive(at: now, poller)
        if let due = bridge.deadline, due <= now {
            act(at: now) { $0.timePassed(at: $1, into: &$2) }
        }
        above?.setFull(bridge.isFullOfDeliveries, at: now)
        flush(at: now)
    }

    /// Takes the turns of the connections that have something, or whose time has come.
    private func receive(at now: Duration, _ poller: Poller) {
        if home.isDue(at: now, homeItems, poller) {
            for event in home.turn() {
                process(event, at: now)
            }
        }
        if let above, above.isDue(at: now, aboveItems, poller) {
            for event in above.turn(at: now) {
                process(event, at: now)
            }
        }
    }

    /// Writes to the site's own bus first: it must know that an event is accepted before the event goes up, so that
    /// it marks the event if it delivers it again.
    private func flush(at now: Duration) {
        home.flush()
        above?.flush(at: now)
    }

    /// Tells the bridge the round trip as the link measures it. The owner calls it once in a while.
    func measureRoundTrip(at now: Duration) {
        if let roundTrip = above?.roundTrip, roundTrip != bridge.roundTrip {
            act(at: now) { $0.linkMeasured(roundTrip: roundTrip, at: $1, into: &$2) }
        }
    }

    func childrenChanged(_ reports: [ChildReport], at now: Duration) {
        act(at: now) { $0.childrenChanged(reports, at: $1, into: &$2) }
        flush(at: now)
    }

    /// Opens a link at once, because the configuration has changed or a user asks for it.
    func dialNow(at now: Duration) {
        act(at: now) { $0.dialNow(at: $1, into: &$2) }
    }

    /// Leaves both buses, and waits for a short time until they know.
    func leave(_ reason: String, at now: Duration) {
        act(at: now) { $0.leave(at: $1, into: &$2) }
        awaitLeave(until: now + Self.leaveDuration)
        let now = MonotonicClock.time
        act(at: now) { $0.close(reason, at: $1, into: &$2) }
        above?.flush(at: now)
        above?.finish()
        home.flush()
        home.close()
    }

    private func awaitLeave(until end: Duration) {
        flush(at: MonotonicClock.time)
        while bridge.isLeaving, MonotonicClock.time < end {
            var poller = Poller()
            add(to: &poller)
            let wakes = Duration.earliest(end, home.deadline, above?.deadline) ?? end
            guard (try? poller.wait(until: hasWork ? .zero : wakes)) != nil else {
                return
            }
            let now = MonotonicClock.time
            receive(at: now, poller)
            flush(at: now)
        }
    }

    private func process(_ event: BusConnectionEvent, at now: Duration) {
        switch event {
        case .opened:
            act(at: now) { $0.homeConnected(at: $1, into: &$2) }
        case .lost(let reason):
            homeLosses.append(reason)
            act(at: now) { $0.homeDisconnected(at: $1, into: &$2) }
            reconnectHome(at: now)
        case .message(let message):
            act(at: now) { $0.homeReceived(message, at: $1, into: &$2) }
        }
    }

    private func process(_ event: UpperLinkEvent, at now: Duration) {
        switch event {
        case .opened(let terms):
            act(at: now) { $0.linkOpened(terms, at: $1, into: &$2) }
        case .ended(let reason, let silence):
            hasDialled = true
            linkEnds.append(reason)
            act(at: now) { $0.linkEnded(reason, afterSilence: silence, at: $1, into: &$2) }
        case .refused(let reason, _):
            hasDialled = true
            act(at: now) { $0.linkRefused(reason, at: $1, into: &$2) }
        case .frame(let frame):
            act(at: now) { $0.linkReceived(frame, at: $1, into: &$2) }
        case .part(let part, let byteCount):
            act(at: now) { $0.linkReceivedPart(part, of: byteCount, at: $1, into: &$2) }
        case .hasRoom:
            act(at: now) { $0.linkHasRoom(at: $1, into: &$2) }
        }
    }

    private func act(
        at now: Duration, _ change: (inout Bridge, Duration, inout [BridgeEffect]) -> Void
    ) {
        var effects = effects
        self.effects = []
        change(&bridge, now, &effects)
        // Each effect is moved out of the array, because most messages of a site pass here.
        effects.reverse()
        while let effect = effects.popLast() {
            perform(effect, at: now)
        }
        self.effects = effects
    }

    // MARK: - Effects

    private func perform(_ effect: BridgeEffect, at now: Duration) {
        switch effect {
        case .sendHome(let message): home.send(message)
        case .connectHome: reconnectHome(at: now)
        case .dial: above?.dial(at: now)
        case .sendAbove(let frame):
            if above?.send(frame, at: now) == false {
                bridge.linkIsFull()
            }
        case .closeLink(let reason):
            hasDialled = true
            linkEnds.append(reason)
            above?.close(reason, at: now)
        case .report(let report):
            if case .changed(.up) = report {
                hasDialled = true
            }
            reports.append(report)
        }
    }

    private func reconnectHome(at now: Duration) {
        guard homeReconnectsAt == nil else {
            return
        }
        home.abandon()
        homeReconnectsAt = now + .nanoseconds(Int64(homeDelay.next()))
    }

    private func reconnectIfDue(at now: Duration) {
        if bridge.holdsRoot {
            homeDelay.reset()
        }
        if let due = homeReconnectsAt, due <= now {
            homeReconnectsAt = nil
            home.open()
        }
    }
}
