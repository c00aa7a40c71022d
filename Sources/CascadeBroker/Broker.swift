// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
package import CascadeWire
import Synchronization

/// The state machine of the bus: inputs and `now` in, effects out. It has no socket, clock, logger
/// or randomness.
///
/// This file routes inputs. The extensions in the folders beside it handle them, one folder for
/// each subject: peers, nodes, events, deliveries, publications, inspection. They share the
/// machines below, each of which owns its tables.
package struct Broker: ~Copyable {
    private(set) var configuration: BrokerConfiguration

    var hierarchy: Hierarchy
    var names = NameTable()
    var peers = PeerTable()
    var sessions = SessionTable()
    var traffic: Traffic
    var deadlines = DeadlineQueue()
    var accounts = AccountTable()
    var safety = SafetyTable()
    var environment: Environment

    var observers = Observers()

    var turn: Turn

    /// Has no value to read. A type with an atomic property is always read in place; Swift would otherwise
    /// copy all of this one, 2.7 KB, to the stack for each call of a method that does not change it.
    private let isReadInPlace = Atomic(true)

    package init(configuration: BrokerConfiguration, at now: Instant) {
        self.configuration = configuration
        turn = Turn(now: now)
        hierarchy = Hierarchy(at: now)
        traffic = Traffic(at: now)
        environment = Environment(keysMax: configuration.limits.keys)
        if configuration.isShared {
            accounts.share()
        }
        // The root is a place too.
        accounts.charge(1, .nodes, to: AccountTable.own)
        _ = deadlines.insert(now.advanced(byMilliseconds: configuration.beatMilliseconds), .beat)
        if configuration.reattachMilliseconds > 0 {
            traffic.events.parking.beginReattach()
            _ = deadlines.insert(
                now.advanced(byMilliseconds: configuration.reattachMilliseconds), .reattach)
        }
    }

    /// A new configuration leaves the policy as it is; this replaces it.
    mutating func replacePolicy(_ policy: Policy) {
        configuration.policy = policy
    }

    /// Adopts a new configuration. Peers keep the settings that they were greeted with; entries of
    /// tables above a lowered limit are removed where that is possible.
    private mutating func reconfigure(_ configuration: BrokerConfiguration) {
        let policy = self.configuration.policy
        self.configuration = configuration
        self.configuration.policy = policy
        if configuration.isShared {
            accounts.share()
        }
        shrinkTables()
    }

    /// When `Input.deadline` is due.
    package var nextDeadline: Instant? {
        deadlines.first
    }

    /// Whether no event and no publication is under way. Held events do not count: the next daemon
    /// can hold them too.
    package var isIdle: Bool {
        traffic.events.count == traffic.events.parking.held.count && traffic.publications.count == 0
    }

    /// Handles one input and appends its effects, in the order in which the shell must perform
    /// them.
    package mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect]) {
        swap(&turn.effects, &effects)
        turn.now = now
        switch input {
        case .connected(let peer, let credentials): connected(peer, credentials)
        case .received(let peer, let payload): take(payload, from: peer)
        case .malformed(let peer, let error):
            act(for: peer)
            received(error, from: peer)
        case .exited(let peer): exited(peer)
        case .gone(let peer):
            act(for: peer)
            if !parkEnd(of: peer) {
                gone(peer)
            }
        case .unwatched(let peer): unwatched(peer)
        case .deadline: deadlinePassed()
        case .configured(let configuration): reconfigure(configuration)
        case .rules(let files): load(files)
        case .policy(let policy): load(policy)
        case .expel(let peer, let violation): expelled(peer, violation)
        case .unreadable(let kind, let sentence): log(.filesRefused(kind, sentence: sentence))
        case .recovered(let records, let fault): recovered(records, fault: fault)
        case .journalDamaged(let count, let evidence):
            observers.counters.count(.journalDamaged, UInt64(count))
            log(.journalDamaged(count: count, evidence: evidence))
        case .journalDisk(let byteCount): traffic.durable.setDiskSize(byteCount: byteCount)
        case .persisted(let number, let fault): persisted(upTo: number, fault: fault)
        case .notPersisted(let number, let sentence): notPersisted(upTo: number, sentence)
        case .stop:
            sessions.stop()
            writeAge(isFinal: true)
        case .dismissAll: dismissAll()
        }
        settle()
        swap(&turn.effects, &effects)
    }

    /// Takes a message, as ``Input/received(_:_:)`` has it handled: for a shell that has many.
    package mutating func receive(
        _ payload: Payload, from peer: PeerID, at now: Instant, into effects: inout [Effect]
    ) {
        swap(&turn.effects, &effects)
        turn.now = now
        take(payload, from: peer)
        settle()
        swap(&turn.effects, &effects)
    }

    /// Sends notifications of the input's changes and schedules deadlines.
    @inline(__always)
    private mutating func settle() {
        if peers.exits.firstReady != nil {
            resumeParked()
        }
        settleEnvironment()
        if environment.hasUnchargedKeys {
            environment.chargeKeys(to: &accounts)
        }
        scheduleAnswersIfNeeded()
        scheduleInquiries()
        if safety.gateCount > 0 {
            scheduleSettling()
        }
        traffic.events.lastPredicateValues.endInput()
        turn.account = AccountTable.own
    }

    mutating func act(for peer: PeerID) {
        if peers.contains(peer) {
            turn.account = peers[peer].account
        }
    }

    // MARK: - Messages

    private mutating func received(_ error: WireError, from peer: PeerID) {
        if peers.contains(peer) {
            violated(peer, Violation(error.code, error.description))
        }
    }

    /// Handles a message, or parks it behind others of its peer.
    @inline(__always)
    private mutating func take(_ payload: Payload, from peer: PeerID) {
        guard peers.contains(peer) else {
            return
        }
        if peers.exits.isParking(peer) {
            park(payload, of: peer)
        } else {
            received(payload, from: peer)
        }
    }

    @inline(__always)
    mutating func received(_ payload: Payload, from peer: PeerID) {
        turn.account = peers[peer].account
        let header: Header
        do throws(WireError) {
            header = try Header(parsing: payload.bytes)
        } catch {
            received(error, from: peer)
            return
        }
        do throws(WireError) {
            if peers[peer].state != .greeted {
                let isTooLong = payload.count > messageByteCountMax
                try greet(header, from: peer, fields: isTooLong ? [] : payload.fields)
            } else {
                try route(header, from: peer, payload)
            }
        } catch {
            refuse(error, header, of: peer)
        }
    }

    /// A function that throws has not taken the payload.
    @inline(__always)
    private mutating func route(
        _ header: Header, from peer: PeerID, _ payload: Payload
    ) throws(WireError) {
        do throws(WireError) {
            try checkByteCount(of: payload)
            if header.fieldsLength > 0 {
                try configuration.limits.checkFields(of: payload, header)
            }
        } catch {
            try exceededLimit(error, header, of: peer)
            return
        }
        if sessions.isStopping, header.command == .trigger || header.command == .publish {
            if header.flags.contains(.unacknowledged) {
                observers.counters.count(.dropped)
                observers.counters.count(.droppedStopping)
            }
            return
        }
        switch header.command {
        case .trigger: try triggered(header, by: peer, payload)
        case .verdict: try answered(header, by: peer, payload)
        case .accept: try accepted(header, by: peer)
        case .credit: creditReturned(header, by: peer)
        case .publish: try published(header, by: peer, payload)
        case .beat: beatAnswered(header, by: peer)
        case .attach:
            let attach = try Attach(header: header, fields: payload.fieldReader)
            if waits(attach, of: peer) {
                park(payload, of: peer, isFirst: true)
            } else {
                try self.attach(attach, by: peer)
            }
        case .change: try change(Change(header: header, fields: payload.fieldReader), by: peer)
        case .leave: try leave(Leave(header: header, fields: payload.fieldReader), by: peer)
        case .cancel: cancel(header, by: peer)
        case .received:
            try outcomeReceived(Received(header: header, fields: payload.fieldReader), by: peer)
        case .recall: recall(header, by: peer)
        case .set: try set(SetEnvironment(header: header, fields: payload.fieldReader), by: peer)
        case .administer:
            try administer(Administer(header: header, fields: payload.fieldReader), by: peer)
        case .activate:
            try activate(Activate(header: header, fields: payload.fieldReader), by: peer)
        case .query: try query(Query(header: header, fields: payload.fieldReader), by: peer)
        case .hello: throw WireError(.alreadyGreeted, "this session has greeted already")
        case .welcome, .attached, .environment, .moved, .detached, .refused, .violation,
            .define, .done, .visit,
            .outcome, .itinerary, .delivery, .answer, .accepted, .settled:
            throw WireError("only the daemon sends a '\(header.command)'")
        }
    }

    /// Answers a fault: the session ends, or only the request is refused.
    private mutating func refuse(_ error: WireError, _ header: Header, of peer: PeerID) {
        guard error.code.refusesOnlyTheRequest else {
            violated(peer, Violation(error.code, error.description))
            return
        }
        // A query for something that does not exist has been answered.
        let isAnswer = header.command == .query && error.code.isLookupMiss
        if !isAnswer {
            observers.counters.count(.refused)
        }
        if error.code == .limitReached, let node = peers[peer].nodes.first {
            raise(.quotaReached, at: node, error.description, causedBy: peer)
        }
        let isRaised = header.command == .trigger || header.command == .publish
        if isRaised {
            peers[peer].returnCredit()
        }
        send(
            Refused(
                request: isRaised ? 0 : header.id, sequence: isRaised ? header.sequence : 0,
                code: error.code, sentence: error.description), to: peer)
        if !isAnswer {
            log(
                .refused(
                    processID: peers[peer].credentials.processID, error.code,
                    sentence: error.description))
        }
    }

    // MARK: - Deadlines

    private mutating func deadlinePassed() {
        while let owner = deadlines.popFirst(at: now) {
            switch owner {
            case .event(let event): eventTimedOut(event)
            case .publication(let publication): publicationTimedOut(publication)
            case .node(let node): graceEnded(node)
            case .peer(let peer): greetingTimedOut(peer)
            case .session(let session): resumeTimedOut(session)
            case .beat: beat()
            case .reattach: reattachEnded()
            case .answers: answerRepeatingQueries(.bus)
            case .treeChanges: answerRepeatingQueries(.tree)
            case .answersByClock: answerQueriesByClock()
            case .inquiries: continueInquiries()
            case .samples: reportSamples()
            case .settle: judgeDeclarations()
            case .trials: continueTrials()
            case .environment: continueSettlingEnvironment()
            case .journal: retryJournal()
            case .parked: peers.exits.endPause()
            }
        }
    }
}

extension ErrorCode {
    /// Whether the session continues after this error.
    package var refusesOnlyTheRequest: Bool {
        rawValue >= ErrorCode.badName.rawValue
    }

    /// Whether the error states that the object of a request does not exist.
    var isLookupMiss: Bool {
        self == .noSuchNode || self == .noSuchEvent || self == .noSuchKey
    }
}

/// The input that is being handled, and its effects so far.
struct Turn: Sendable {
    var now: Instant
    /// The account of the peer that sent the input; otherwise the bus's own.
    var account = AccountTable.own
    var effects: [Effect] = []
}
