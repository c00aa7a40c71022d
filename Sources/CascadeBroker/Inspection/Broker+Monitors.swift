// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Monitors: present and past events of the bus.
extension Broker {
    // MARK: - Coming and going

    /// Starts a monitor: first past events, then present ones.
    mutating func monitor(
        _ filter: MonitorFilter, _ request: UInt64, by peer: PeerID, _ viewer: inout Viewer
    ) throws(WireError) {
        let account = peers[peer].account
        try checkRepeating(by: peer)
        try share(of: account, in: .monitors).check(1)
        let past = try past(filter, &viewer)
        // The other half is left for events that occur before the monitor has read these.
        let recent = past.suffix(Int(configuration.limits.monitored / 2))
        try viewer.spend(recent.count * 8)
        let monitor = try Monitor(peer: peer, account: account, request: request, filter)
        let place = observers.monitors.add(monitor, &accounts)
        for var monitorEvent in recent {
            monitorEvent.account = AccountTable.own
            send(monitorEvent, at: place, &viewer)
        }
    }

    /// Returns the past events that the viewer may see, the oldest first.
    func past(_ filter: MonitorFilter, _ viewer: inout Viewer) throws(WireError) -> [MonitorEvent] {
        let admitting = try MonitorEventFilter(filter)
        guard filter.sinceMilliseconds > 0 else {
            return []
        }
        let begin = now.earlier(byMilliseconds: filter.sinceMilliseconds)
        try viewer.spend(
            observers.monitors.monitorEventCount * 2 + observers.traces.count * 6
                + traffic.events.count * 4)
        var found = observers.monitors.monitorEvents
        for record in observers.traces.all(names) where record.ended >= begin {
            found +=
                filter.withTrails
                ? [record.endEventWithTrail] : [record.startEvent, record.endEvent]
        }
        if !filter.withTrails {
            found += traffic.events.indices.filter { !traffic.events[$0].message.isUnacknowledged }
                .map { trace(event: traffic.events[$0]).startEvent }
        }
        found = found.filter { $0.when >= begin && admitting.admits($0, to: &viewer) }
        // Events of the same moment keep their order: the sort must be stable.
        let order = found.indices.sorted { left, right in
            (found[left].when, left) < (found[right].when, right)
        }
        return order.map { found[$0] }
    }

    // MARK: - Recording

    /// Appends an entry to the administrator's log, and reports it to monitors.
    ///
    /// - Parameter path: the place concerned, if the entry does not name it.
    mutating func log(_ entry: LogEntry, at path: NodePath? = nil) {
        turn.effects.append(.log(entry))
        // An entry that a peer can cause at will would displace all others.
        if !entry.isRefusal {
            observers.monitors.keep(
                .logged(entry, at: now, path), by: turn.account,
                limit: configuration.limits.monitorEvents, &accounts)
        }
        if !observers.monitors.isEmpty {
            var monitorEvent = MonitorEvent(of: entry)
            monitorEvent.when = now
            monitorEvent.path = path ?? monitorEvent.path
            reportToMonitors(monitorEvent)
        }
    }

    /// Something other than an event or a publication has happened.
    mutating func recordMonitorEvent(_ monitorEvent: MonitorEvent) {
        var monitorEvent = monitorEvent
        monitorEvent.when = now
        observers.monitors.keep(
            .other(monitorEvent), by: turn.account, limit: configuration.limits.monitorEvents,
            &accounts)
        reportToMonitors(monitorEvent)
    }

    /// Reports something other than a step of a message.
    mutating func reportToMonitors(_ monitorEvent: MonitorEvent) {
        var monitorEvent = monitorEvent
        monitorEvent.account = monitorEvent.account ?? turn.account
        for place in observers.monitors.places {
            let peer = observers.monitors.peer(at: place)
            var viewer = peers.takeViewer(for: peer)
            if observers.monitors.admits(monitorEvent, at: place, to: &viewer) {
                send(monitorEvent, at: place, &viewer)
            }
            peers.putBack(viewer, of: peer)
        }
    }

    // MARK: - Sending

    /// Sends a monitor event to a monitor, or omits it if its account's share of the unread ones is
    /// used up.
    mutating func send(
        _ monitorEvent: MonitorEvent, at place: Int, _ viewer: inout Viewer
    ) {
        let hasRoom = observers.monitors.hasRoom(
            at: place, for: monitorEvent.account ?? turn.account, accounts,
            limit: configuration.limits.monitored)
        if hasRoom {
            reportOmitted(at: place, &viewer)
            pass(monitorEvent, at: place, &viewer)
        }
        askHowFar(at: place)
    }

    /// Reports to the monitor how many monitor events were omitted.
    private mutating func reportOmitted(at place: Int, _ viewer: inout Viewer) {
        let count = observers.monitors.takeOmitted(at: place)
        guard count > 0 else {
            return
        }
        var monitorEvent = MonitorEvent(.dropped)
        monitorEvent.when = now
        monitorEvent.count = count
        monitorEvent.account = AccountTable.own
        monitorEvent.message = "the monitor takes what happens too slowly"
        monitorEvent.mentions = .nothing
        pass(monitorEvent, at: place, &viewer)
        askHowFar(at: place)
    }

    mutating func pass(
        _ monitorEvent: MonitorEvent, at place: Int, _ viewer: inout Viewer
    ) {
        let document = monitorEvent.document(at: wallClock, for: &viewer)
        let request = observers.monitors.recordSent(
            at: place, by: monitorEvent.account ?? turn.account)
        send(
            DocumentAnswer(request: request, document: document.text),
            to: observers.monitors.peer(at: place))
    }

    /// Requests the position of the monitor, where it is needed.
    mutating func askHowFar(at place: Int) {
        guard observers.monitors.needsBeat(at: place, limit: configuration.limits.monitored) else {
            return
        }
        let beat = peers.nextBeat()
        observers.monitors.beatSent(beat, at: place)
        turn.effects.append(
            .send(Header(.beat, id: beat.id), to: observers.monitors.peer(at: place)))
    }

    /// A monitor has come so far.
    mutating func monitorBeatAnswered(_ beat: Beat, by peer: PeerID) {
        guard let place = observers.monitors.beatAnswered(beat, by: peer) else {
            return
        }
        var viewer = peers.takeViewer(for: peer)
        reportOmitted(at: place, &viewer)
        askHowFar(at: place)
        peers.putBack(viewer, of: peer)
    }
}

extension LogEntry {
    /// Whether it is about a request that was refused.
    fileprivate var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
