// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The monitors of the bus, and the latest monitor events for later ones.
///
/// The bus does not wait for a slow monitor. It omits monitor events and reports their number. The
/// monitor's answers to its own beats show how far it has read.
struct Monitors: Sendable {
    private var monitors: [Monitor] = []
    private var past = MonitorEventRing()
    /// The steps of messages that at least one monitor wants.
    private var steps: MessageSteps = []
    /// The steps that were left out last, not yet counted by the monitors' budgets.
    private var leftOutRun: LeftOutRun?
    /// The deadline at which the monitors get the counts of what was left out.
    private(set) var nextSamples = DeadlineQueue.none

    // MARK: - Coming and going

    var isEmpty: Bool {
        monitors.isEmpty
    }

    var count: Int {
        monitors.count
    }

    /// The places of the monitors; valid until one is added or removed.
    var places: Range<Int> {
        monitors.indices
    }

    func count(of peer: PeerID) -> Int {
        monitors.count { $0.peer == peer }
    }

    /// Returns the place of the new monitor.
    mutating func add(_ monitor: Monitor, _ accounts: inout AccountTable) -> Int {
        endLeftOutRun()
        accounts.charge(1, .monitors, to: monitor.account)
        monitors.append(monitor)
        steps.formUnion(monitor.steps)
        return monitors.count - 1
    }

    /// - Parameter request: The query whose monitor ends; `nil` for all monitors of the peer.
    mutating func remove(
        _ request: UInt64? = nil, of peer: PeerID, _ accounts: inout AccountTable
    ) {
        guard !monitors.isEmpty else {
            return
        }
        endLeftOutRun()
        monitors.removeAll { monitor in
            guard monitor.peer == peer, request == nil || monitor.request == request else {
                return false
            }
            accounts.release(1, .monitors, from: monitor.account)
            return true
        }
        steps = monitors.reduce(into: []) { $0.formUnion($1.steps) }
    }

    func peer(at place: Int) -> PeerID {
        monitors[place].peer
    }

    func wantsPayloads(at place: Int) -> Bool {
        monitors[place].wantsPayloads
    }

    func wantsTrails(at place: Int) -> Bool {
        monitors[place].wantsTrails
    }

    // MARK: - Steps of messages

    /// Whether a monitor wants one of these steps. Known without making a monitor event.
    @inline(__always)
    func want(_ steps: MessageSteps) -> Bool {
        !self.steps.isDisjoint(with: steps)
    }

    func wants(_ steps: MessageSteps, named name: EventName?, at place: Int) -> Bool {
        !monitors[place].steps.isDisjoint(with: steps) && monitors[place].filter.admits(name)
    }

    /// Whether the places that a monitor event names decide about it.
    func concernsPlaces(at place: Int) -> Bool {
        monitors[place].filter.concernsPlaces
    }

    /// Whether the monitor may get another message.
    mutating func hasBudget(for outcome: OutcomeCode?, at place: Int, _ now: Instant) -> Bool {
        monitors[place].budget?.allows(outcome, at: now) ?? true
    }

    mutating func spend(for outcome: OutcomeCode?, at place: Int) {
        monitors[place].budget?.spend(for: outcome)
    }

    mutating func leaveOut(_ outcome: OutcomeCode?, count: UInt64 = 1, at place: Int) {
        monitors[place].budget?.leaveOut(outcome, count: count)
    }

    /// Leaves a step of a message out as the one before, if nothing has changed since: of most messages of a busy
    /// bus, no more is done than this.
    @inline(__always)
    mutating func leaveOutAgain(
        _ step: MessageSteps, _ outcome: OutcomeCode?, at now: Instant
    ) -> Bool {
        leftOutRun?.extend(step, outcome, at: now) ?? false
    }

    /// Leaves a step of a message out for all monitors that want it, if none of them has budget, and if
    /// neither its name nor its place decides whether they count it.
    ///
    /// - Returns: Whether the step was left out for all of them.
    mutating func leaveOut(
        _ step: MessageSteps, _ outcome: OutcomeCode?, at now: Instant,
        _ peers: borrowing PeerTable
    ) -> Bool {
        endLeftOutRun()
        for place in monitors.indices where !monitors[place].steps.isDisjoint(with: step) {
            guard monitors[place].filter.admitsAllPlaces,
                !hasBudget(for: outcome, at: place, now),
                peers.seesEverything(monitors[place].peer)
            else {
                return false
            }
        }
        leftOutRun = LeftOutRun(step, outcome, at: now)
        return true
    }

    /// Lets the budgets count what was left out. It must come before the monitors change, or what they see.
    mutating func endLeftOutRun() {
        guard let run = leftOutRun.take() else {
            return
        }
        for place in monitors.indices where !monitors[place].steps.isDisjoint(with: run.step) {
            leaveOut(run.outcome, count: run.count, at: place)
        }
    }

    /// Returns the counts of what was left out for the monitor since the last call, and resets them.
    mutating func takeLeftOut(at place: Int) -> MonitorBudget.LeftOut? {
        endLeftOutRun()
        return monitors[place].budget?.takeLeftOut()
    }

    /// Sets the deadline at which the monitors get the counts of what was left out.
    mutating func reportSamples(at deadline: DeadlineQueue.Handle) {
        nextSamples = deadline
    }

    func admits(_ monitorEvent: MonitorEvent, at place: Int, to viewer: inout Viewer) -> Bool {
        monitors[place].filter.admits(monitorEvent, to: &viewer)
    }

    // MARK: - Events

    /// Everything that is kept, the oldest first.
    var monitorEvents: [MonitorEvent] {
        past.all
    }

    /// How many monitor events are kept.
    var monitorEventCount: Int {
        past.count
    }

    /// - Parameter account: The account that caused it.
    mutating func keep(
        _ entry: MonitorEventRing.Entry, by account: AccountIndex, limit: UInt32,
        _ accounts: inout AccountTable
    ) {
        past.insert(entry, by: account, limit: limit, &accounts)
    }

    /// Holds to a limit that was lowered.
    mutating func shrink(to limit: UInt32, _ accounts: inout AccountTable) {
        if accounts.used(.monitorEvents) > Int(limit) {
            past.shrink(to: limit, &accounts)
        }
    }

    // MARK: - Sending

    /// Whether one more monitor event may be on its way to the monitor: whether its account's share
    /// of the unread ones is not used up. Counts it as omitted if not.
    ///
    /// - Parameters:
    ///   - account: The account that caused the monitor event.
    ///   - limit: Monitor events on their way to one monitor (limit `monitored`).
    mutating func hasRoom(
        at place: Int, for account: AccountIndex, _ accounts: borrowing AccountTable, limit: UInt32
    ) -> Bool {
        let own = monitors[place].underWayCount(of: account)
        let share = accounts.shareSize(
            of: account, having: own, of: Int(clamping: monitors[place].underWayCount),
            limit: limit)
        if own >= share {
            monitors[place].omit()
        }
        return own < share
    }

    /// Records that a monitor event has been sent. Returns the request that it answers.
    mutating func recordSent(at place: Int, by account: AccountIndex) -> UInt64 {
        monitors[place].recordSent(by: account)
        return monitors[place].request
    }

    /// Returns how many monitor events have been omitted since the last one sent, and forgets them.
    mutating func takeOmitted(at place: Int) -> UInt64 {
        monitors[place].takeOmitted()
    }

    /// Whether the position of the monitor should be requested now. A peer answers a beat in order,
    /// so that its answer confirms all earlier messages.
    func needsBeat(at place: Int, limit: UInt32) -> Bool {
        monitors[place].beat == nil
            && (monitors[place].leftOutCount > 0
                || monitors[place].underWayCount > UInt64(limit / 4))
    }

    /// The beat has been sent to the monitor.
    mutating func beatSent(_ beat: Beat, at place: Int) {
        monitors[place].beatSent(beat)
    }

    /// Records how far the monitor has read, from its answer to a beat; an answer by another peer
    /// is ignored.
    ///
    /// - Returns: The monitor's place; `nil` if there is none.
    mutating func beatAnswered(_ beat: Beat, by peer: PeerID) -> Int? {
        let place = monitors.firstIndex { $0.peer == peer && $0.beat == beat }
        if let place {
            monitors[place].beatAnswered()
        }
        return place
    }
}
