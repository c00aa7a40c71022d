// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The state machine that joins a site's bus to the bus above: a worker on both.
///
/// Its session at *home*, the site's own bus, holds `/` for all that is above. Its session *above* holds the
/// mount for all that is below. The bridge knows messages of both sessions, the state of the link that
/// carries the second one, and the time; it has no clock and no connection. All inputs append the effects
/// that the owner must perform.
///
/// The bridge passes each input to the parts that it concerns: values that own their state, such as
/// `RootClaim`, `ParentLink` and `Crossings`. The files `Bridge+…` hold one side each: `Bridge+Home` the
/// session at home and the root, `Bridge+Above` the session above, `Bridge+Link` the link, `Bridge+Mount` the
/// mount, `Bridge+Visits` the messages on their way up, `Bridge+Deliveries` the publications on their way
/// down, `Bridge+Names` the names above, `Bridge+Environment` the values, `Bridge+Inspection` the requests
/// that look at sites, `Bridge+Parts` the frames that no link can carry, `Bridge+Cut` the end of the patience
/// with a lost link, `Bridge+Leaving` the end of the bridge, `Bridge+Sites` the names and states of this
/// site, its parent and its children.
package struct Bridge: ~Copyable, Sendable {
    /// The visits that a parent may let wait beyond those that the mount has granted, and the numbers that it
    /// may define: more of them end the link.
    private static let waitingVisitCountMax = 4_096
    private static let definitionCountMax = 262_144

    let configuration: BridgeConfiguration

    // MARK: Home

    var home: Session
    var homeEffects: [SessionEffect] = []
    var homeQueries = HomeQueries()
    var rootClaim = RootClaim()
    var rootDeclaration = RootDeclaration()

    // MARK: Above

    var above: Session
    var aboveEffects: [SessionEffect] = []
    var aboveQueries = AboveQueries()
    var link: ParentLink
    /// The names that the two buses have for a path; `nil` before the first link has opened.
    var paths: PathTranslator?
    var mountClaim = MountClaim()
    var mountDeclaration = MountDeclaration()
    /// The names to which nodes above respond; `nil` before they are known.
    var namesAbove: NamesAbove?
    var environment: EnvironmentAbove

    // MARK: Messages

    /// The visits of `/` that wait to be raised above.
    var waiting = WaitingVisits()
    var crossings = Crossings()
    var deliveries = Deliveries()
    var inspections = Inspections()
    /// How the messages have ended that crossed the border.
    package internal(set) var outcomes = CrossingOutcomes()

    // MARK: Both sides

    /// The effects that are being performed, the next one at the end, from where it is moved out without a copy.
    /// The array keeps its memory for the next ones.
    private var performed: [SessionEffect] = []
    private var lastRequest: UInt64 = 0
    var leaveRequests = LeaveRequests()
    var reportedState = ReportedState()
    /// The sites below, as the gate knows them.
    var children: [ChildReport] = []

    /// Creates a bridge, which begins with ``homeConnected(at:into:)``.
    ///
    /// - Parameters:
    ///   - configuration: The site, its parent, and what may go up.
    ///   - seed: A number that differs between sites and between their starts.
    package init(_ configuration: BridgeConfiguration, seed: UInt64) {
        self.configuration = configuration
        home = Session(
            secret: configuration.homeSecret, program: configuration.program,
            processID: configuration.processID, acceptsVisits: false)
        above = Session(
            secret: configuration.aboveSecret, program: configuration.program,
            processID: configuration.processID, acceptsVisits: false)
        link = ParentLink(seed: seed)
        environment = EnvironmentAbove(carried: configuration.environment)
        above.waitingVisitCountMax = Self.waitingVisitCountMax
        above.definitionCountMax = Self.definitionCountMax
    }

    package var state: BridgeState {
        configuration.parent == nil
            ? .alone : link.state(isCarryingConfirmed: rootDeclaration.isCarryingConfirmed)
    }

    /// The number of messages that are under way above, and of those that wait to be raised there.
    package var crossingCount: (underWay: Int, waiting: Int) {
        (crossings.count, waiting.count)
    }

    // MARK: - Time

    /// When the bridge has to act.
    package var deadline: Duration? {
        .earliest(
            rootClaim.asksAgainAt, rootClaim.patienceEnds, link.patienceEnds, link.phaseEnds,
            mountClaim.asksAgainAt, inspections.deadline)
    }

    /// Performs what is due at `now`.
    package mutating func timePassed(at now: Duration, into effects: inout [BridgeEffect]) {
        if let due = rootClaim.asksAgainAt, due <= now {
            askForRoot(at: now)
        }
        if let due = rootClaim.patienceEnds, due <= now {
            leaveMount(at: now, into: &effects)
        }
        if let due = link.patienceEnds, due <= now {
            cut(at: now)
        }
        endLateInspections(at: now)
        switch link.phase {
        case .none(let dialsAt?) where dialsAt <= now:
            link.beginDialling()
            effects.append(.dial)
        case .mounting(let until) where until <= now:
            lose(closing: "the mount was not attached in time", at: now, into: &effects)
        case .mounting:
            if let due = mountClaim.asksAgainAt, due <= now, let mount = paths?.mount {
                askForMount(at: mount)
            }
        case .none, .dialling, .up:
            break
        }
        finish(at: now, into: &effects)
    }

    // MARK: - The end of an input

    /// Performs the effects of both sessions, and those that they bring about, each session's in their
    /// order.
    mutating func finish(at now: Duration, into effects: inout [BridgeEffect]) {
        repeat {
            while !homeEffects.isEmpty || !aboveEffects.isEmpty {
                swap(&homeEffects, &performed)
                performed.reverse()
                while let effect = performed.popLast() {
                    performHome(effect, at: now, into: &effects)
                }
                swap(&aboveEffects, &performed)
                performed.reverse()
                while let effect = performed.popLast() {
                    performAbove(effect, at: now, into: &effects)
                }
            }
            sendDueMount()
            mountIfReady(at: now)
            sendDueDeclaration()
            raiseWaiting(at: now)
            publishWaiting(at: now, into: &effects)
        } while !homeEffects.isEmpty || !aboveEffects.isEmpty
        let state = state
        if reportedState.update(state, at: now) {
            effects.append(.report(.changed(state)))
        }
    }

    mutating func nextRequest() -> UInt64 {
        lastRequest += 1
        return lastRequest
    }

    /// Ends a visit of `/`.
    mutating func end(_ token: InvocationToken, _ result: InvocationResult) {
        home.finished(token, result, microseconds: 0, into: &homeEffects)
    }

    /// Ends a visit of `/`, and its message with this outcome.
    mutating func end(_ token: InvocationToken, _ outcome: OutcomeCode, _ failure: Failure) {
        end(
            token,
            .remote(RemoteResult(.failed, RemoteEnd(outcome: outcome), failure: failure)))
    }
}
