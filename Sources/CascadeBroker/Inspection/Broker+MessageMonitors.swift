// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The monitor events about events and publications.
///
/// A busy bus raises and ends more of them than a monitor reads, so a monitor event is made only for a
/// monitor that wants it and whose budget has room for it.
extension Broker {
    // MARK: - Beginnings

    /// Reports an event that has been raised and has a record.
    @inline(__always)
    mutating func monitorTriggered(_ event: EventIndex) {
        let step = MessageSteps.beginning(of: traffic.events[event].firstLane)
        if observers.monitors.want(step), !leavesOut(step, nil) {
            reportTriggered(event)
        }
    }

    private mutating func reportTriggered(_ event: EventIndex) {
        let record = trace(event: traffic.events[event])
        let account = traffic.events[event].message.origin.account
        let places = monitors(for: MessageStep(beginningOf: record, account))
        guard !places.isEmpty else {
            return
        }
        var monitorEvent = record.startEvent
        monitorEvent.account = account
        monitorEvent.start = hierarchy.path(of: traffic.events[event].start)
        report(monitorEvent, to: places, traffic.events[event].message.payload)
    }

    mutating func monitorPublished(_ publication: PublicationIndex) {
        guard observers.monitors.want(.beginning(of: nil)), !leavesOut(.beginning(of: nil), nil)
        else {
            return
        }
        let message = traffic.publications[publication].message
        let record = trace(publication: traffic.publications[publication])
        let places = monitors(for: MessageStep(beginningOf: record, message.origin.account))
        guard !places.isEmpty else {
            return
        }
        var monitorEvent = record.startEvent
        monitorEvent.account = message.origin.account
        monitorEvent.destination = traffic.publications[publication].destination
        monitorEvent.isRetained = message.flags.contains(.retained)
        report(monitorEvent, to: places, message.payload)
    }

    // MARK: - Ends

    mutating func reportEnded(
        _ event: EventIndex, _ code: OutcomeCode, isHandled: Bool, failure: Failure?
    ) {
        // Of most events, a monitor of a busy bus gets the number alone.
        let step = MessageSteps.end(of: traffic.events[event].firstLane)
        guard !leavesOut(step, code) else {
            return
        }
        let origin = traffic.events[event].message.origin
        let path = hierarchy.keptPath(of: origin.node)
        let name =
            names.name(traffic.events[event].firstName)
            ?? traffic.events[event].message.words?.raised.name
        let places = monitors(for: MessageStep(step, code, name, path, origin.account))
        guard !places.isEmpty else {
            return
        }
        let trace = traffic.events[event].kept(
            as: sessions.identity(origin.session), from: path, at: now, code,
            isHandled: isHandled, failure)
        let record = trace.record(traffic.events[event].trail, names)
        var monitorEvent = record.endEvent
        monitorEvent.account = origin.account
        report(monitorEvent, of: record, to: places, traffic.events[event].message.payload)
    }

    mutating func reportEnded(_ publication: Publication, _ record: TraceRecord) {
        guard !leavesOut(.end(of: nil), record.outcome) else {
            return
        }
        let account = publication.message.origin.account
        let places = monitors(for: MessageStep(endOf: record, account))
        guard !places.isEmpty else {
            return
        }
        var monitorEvent = record.endEvent
        monitorEvent.account = account
        monitorEvent.isRetained = publication.isGiven
        report(monitorEvent, of: record, to: places, publication.message.payload)
    }

    // MARK: - Events without a handler

    /// Reports what becomes of an event that no node has handled.
    mutating func reportUnhandled(_ what: MonitorEvent.What, _ event: EventIndex) {
        guard observers.monitors.want(.end(of: traffic.events[event].lane)) else {
            return
        }
        let origin = traffic.events[event].message.origin
        let id = EventID(session: sessions[origin.session], sequence: origin.sequence)
        reportUnhandled(
            what, id, currentName(of: event), traffic.events[event].lane,
            from: hierarchy.path(of: origin.node), origin.account)
    }

    /// The same of undelivered events that are kept no longer.
    mutating func reportForgotten(_ events: [UndeliveredEvent]) {
        for event in events where observers.monitors.want(.end(of: event.lane)) {
            let account = event.owner.map { accounts.number(of: $0) } ?? AccountTable.own
            reportUnhandled(
                .forgotten, event.id, event.name, event.lane, from: event.origin, account)
        }
    }

    private mutating func reportUnhandled(
        _ what: MonitorEvent.What, _ id: EventID, _ name: EventName, _ lane: Lane,
        from origin: NodePath, _ account: AccountIndex
    ) {
        var step = MessageStep(.end(of: lane), nil, name, origin, account)
        step.isCounted = false
        let places = monitors(for: step)
        guard !places.isEmpty else {
            return
        }
        var monitorEvent = MonitorEvent(what, path: origin, name: name)
        monitorEvent.when = now
        monitorEvent.id = id
        monitorEvent.lane = lane
        monitorEvent.account = account
        monitorEvent.mentions = .nothing
        report(monitorEvent, isCounted: false, to: places, nil)
    }

    // MARK: - Messages without a record

    /// Reports an event without a record, because no peer waits for its outcome. Must be called
    /// before the event is passed on: its payload may be released with it.
    mutating func monitorEmitted(_ message: Message, from start: NodeIndex, by node: NodeIndex) {
        if observers.monitors.want([.beginning(of: .event), .end(of: .event)]) {
            let path = hierarchy.path(of: start)
            reportEmitted(message, .event, by: node) { $0.start = path }
        }
    }

    /// The same of a publication.
    mutating func monitorEmitted(
        _ message: Message, to nodes: [NodeIndex], _ destination: PublishingDestination
    ) {
        if observers.monitors.want([.beginning(of: nil), .end(of: nil)]) {
            reportEmitted(message, nil, to: nodes) { $0.destination = destination }
        }
    }

    private mutating func reportEmitted(
        _ message: Message, _ lane: Lane?, by node: NodeIndex? = nil,
        to nodes: [NodeIndex] = [],
        _ complete: (inout MonitorEvent) -> Void
    ) {
        let tellsBeginning =
            observers.monitors.want(.beginning(of: lane)) && !leavesOut(.beginning(of: lane), nil)
        let outcome: OutcomeCode = lane == nil ? .delivered : .handled
        let tellsEnd =
            observers.monitors.want(.end(of: lane)) && !leavesOut(.end(of: lane), outcome)
        guard tellsBeginning || tellsEnd else {
            return
        }
        let origin = message.origin
        var record = TraceRecord()
        record.id = EventID(session: sessions[origin.session], sequence: origin.sequence)
        record.name = names.name(message.name) ?? message.text
        record.lane = lane
        record.origin = hierarchy.path(of: origin.node)
        record.cause = message.cause
        record.begun = now
        record.ended = now
        record.outcome = outcome
        record.by = node.map { hierarchy.path(of: $0) }
        record.paths = nodes.map { hierarchy.path(of: $0) }
        let toBeginning =
            tellsBeginning ? monitors(for: MessageStep(beginningOf: record, origin.account)) : []
        if !toBeginning.isEmpty {
            var start = record.startEvent
            start.account = origin.account
            complete(&start)
            report(start, to: toBeginning, message.payload)
        }
        let toEnd = tellsEnd ? monitors(for: MessageStep(endOf: record, origin.account)) : []
        if !toEnd.isEmpty {
            var end = record.endEvent
            end.account = origin.account
            report(end, of: record, to: toEnd, message.payload)
        }
    }

    // MARK: - Choosing and sending

    /// Leaves a step out if no monitor has a budget for it, which is known without its name and its place.
    /// Returns whether it was left out.
    @inline(__always)
    private mutating func leavesOut(_ step: MessageSteps, _ outcome: OutcomeCode?) -> Bool {
        observers.monitors.leaveOutAgain(step, outcome, at: now)
            || leavesOutForAll(step, outcome)
    }

    private mutating func leavesOutForAll(
        _ step: MessageSteps, _ outcome: OutcomeCode?
    ) -> Bool {
        guard observers.monitors.leaveOut(step, outcome, at: now, peers) else {
            return false
        }
        scheduleSamples()
        return true
    }

    /// Returns the places of the monitors that get a step of a message. A monitor that has no room or no
    /// budget for it counts it instead.
    private mutating func monitors(for step: MessageStep) -> [Int] {
        var places: [Int] = []
        for place in observers.monitors.places
        where observers.monitors.wants(step.steps, named: step.name, at: place) {
            if observers.monitors.concernsPlaces(at: place) || isRoomy(for: step, at: place) {
                places.append(place)
            }
        }
        return places
    }

    /// Whether a monitor sees the origin of a step, and has budget and room for it.
    private mutating func isRoomy(for step: MessageStep, at place: Int) -> Bool {
        guard peers.sees(step.origin, by: observers.monitors.peer(at: place)),
            isInBudget(step.outcome, isCounted: step.isCounted, at: place)
        else {
            return false
        }
        let hasRoom = observers.monitors.hasRoom(
            at: place, for: step.account, accounts, limit: configuration.limits.monitored)
        if !hasRoom {
            askHowFar(at: place)
        }
        return hasRoom
    }

    private mutating func isInBudget(
        _ outcome: OutcomeCode?, isCounted: Bool, at place: Int
    ) -> Bool {
        guard !observers.monitors.hasBudget(for: outcome, at: place, now) else {
            return true
        }
        if isCounted {
            observers.monitors.leaveOut(outcome, at: place)
            scheduleSamples()
        }
        return false
    }

    /// - Parameters:
    ///   - record: The message that has ended; `nil` for one that begins.
    ///   - isCounted: Whether a monitor without budget counts one more message that was left out.
    ///   - payload: The payload of the message, for monitors with payloads.
    private mutating func report(
        _ monitorEvent: MonitorEvent, of record: TraceRecord? = nil, isCounted: Bool = true,
        to places: [Int], _ payload: Payload?
    ) {
        // Read for the first monitor that wants it.
        var content: [JSONValue.Member]?
        for place in places {
            let peer = observers.monitors.peer(at: place)
            var viewer = peers.takeViewer(for: peer)
            defer { peers.putBack(viewer, of: peer) }
            guard observers.monitors.admits(monitorEvent, at: place, to: &viewer),
                isInBudget(monitorEvent.outcome, isCounted: isCounted, at: place)
            else {
                continue
            }
            let withTrail = observers.monitors.wantsTrails(at: place)
            var own = monitorEvent
            if withTrail, let record {
                own = monitorEvent.with(record)
            }
            // A monitor with trails gets a message at its end alone.
            if observers.monitors.wantsPayloads(at: place), let payload,
                record == nil || withTrail
            {
                let read = content ?? Self.content(of: payload)
                content = read
                own.content = read
            }
            observers.monitors.spend(for: monitorEvent.outcome, at: place)
            send(own, at: place, &viewer)
        }
    }

    // MARK: - Counts of what was left out

    private static let samplesIntervalMilliseconds: UInt32 = 1_000

    private mutating func scheduleSamples() {
        guard !deadlines.contains(observers.monitors.nextSamples) else {
            return
        }
        observers.monitors.reportSamples(
            at: deadlines.insert(
                now.advanced(byMilliseconds: Self.samplesIntervalMilliseconds), .samples))
    }

    /// Sends the monitors the counts of what was left out in the last second.
    mutating func reportSamples() {
        for place in observers.monitors.places {
            guard let leftOut = observers.monitors.takeLeftOut(at: place) else {
                continue
            }
            var monitorEvent = MonitorEvent(.sampled)
            monitorEvent.when = now
            monitorEvent.count = leftOut.count
            monitorEvent.leftOut = leftOut
            monitorEvent.account = AccountTable.own
            monitorEvent.mentions = .nothing
            let peer = observers.monitors.peer(at: place)
            var viewer = peers.takeViewer(for: peer)
            pass(monitorEvent, at: place, &viewer)
            askHowFar(at: place)
            peers.putBack(viewer, of: peer)
        }
    }
}
