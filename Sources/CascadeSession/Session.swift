// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule
import Synchronization

/// The worker's state machine of the protocol. It consumes messages and produces effects, and uses no
/// socket, clock or task.
///
/// A session outlives its connections. After one breaks, the session greets with the same ID, attaches
/// its nodes again, and sends the messages without an outcome again. Extensions in the other files
/// contain nodes, raising, and visits.
package struct Session: ~Copyable, Sendable {
    package enum State: Sendable, Equatable {
        /// No connection. Next: greeting.
        case disconnected
        /// The greeting has been sent. Next: welcomed, disconnected.
        case greeting
        /// The daemon has accepted the session. Next: disconnected.
        case welcomed
    }

    /// Has no value to read. A type with an atomic property is always read in place; Swift would otherwise copy
    /// all of this one to the stack for each call of a method that does not change it.
    private let isReadInPlace = Atomic(true)

    package let id: SessionID
    private let secret: SessionSecret?
    package private(set) var state = State.disconnected
    private let program: String
    private let processID: UInt32
    private let versions: ClosedRange<UInt16>
    /// Whether the session accepts a visit when it begins, and answers redelivered ones from its window.
    /// Otherwise its owner does both.
    let acceptsVisits: Bool
    private var wasWelcomed = false

    /// The declarations of the attached nodes, in the order of their attachment.
    var declarations: [NodeDeclaration] = []
    /// The names for which the session requests numbers on each connection.
    var wantedNames: [EventName] = []
    /// The number of the session's own attach request after a reconnect. No caller waits for its answer.
    package let reattachRequest: UInt64 = .max
    /// The attach requests without an answer.
    var pendingAttach: [UInt64: [NodeDeclaration]] = [:]
    /// The changes of declarations without a confirmation, by their requests.
    var pendingChanges: [UInt64: PendingChange] = [:]
    /// The assignments without a confirmation, in order.
    var pendingSets: [PendingSet] = []
    /// The requests without an answer and the repeating queries, in order. Each new connection
    /// sends them again.
    var openRequests: [OpenRequest] = []

    var credit: UInt32 = 0
    /// The messages that wait for credit to be sent again, by their sequence numbers.
    var redeliveries: Deque<UInt64> = []
    /// Whether this connection has sent all messages that are sent again. New messages must not precede
    /// them.
    var hasResumed = false
    /// The credit that the daemon granted in its welcome.
    var grantedCredit: UInt32 = 0
    /// The daemon's limit for the length of a message, in bytes.
    var messageByteCountMax = Int.max
    /// The daemon's limit for the length of one value of the environment, in bytes.
    var valueByteCountMax = Int.max
    /// The longest message that the connection carries, in bytes.
    package var carriedByteCountMax = Int.max
    /// The number of visits that may wait for one node. A daemon that the owner trusts sends no more than the
    /// node has granted.
    package var waitingVisitCountMax = Int.max
    /// The number of names, nodes and sessions that the daemon may define on one connection.
    package var definitionCountMax = Int.max
    /// The interval of the daemon's beats, in milliseconds.
    package private(set) var beatMilliseconds: UInt32 = 0
    /// The number of outcomes of messages that no caller waits for any longer: those that were given up or cancelled
    /// before the connection was renewed.
    package internal(set) var lateOutcomeCount: UInt64 = 0
    var nextSequence: UInt64 = 1
    var inFlight = InFlightWindow()
    /// The accepted durable events without an outcome.
    var acceptedSequences: Set<UInt64> = []
    /// The number of outcomes received on this connection. Sent to the daemon, it confirms them.
    var outcomeCount: UInt64 = 0

    var numbers = Numbers()
    /// The visit queues, one for each path that a node of this session has or had.
    var visitQueues: [VisitQueue] = []
    var visitQueuesByPath: [NodePath: Int] = [:]
    /// The visit queues of the attached nodes, by the nodes' numbers.
    var visitQueueIndices = NumberTable<Int>()
    /// The number of the subscribing node, by the number of the name. If several nodes subscribe, each
    /// delivery names its node.
    var subscribers = NumberTable<UInt32>()
    var visits = VisitTable()
    var verdicts = VerdictWindow()
    /// The redeliveries to be answered, with their known answers.
    var replays: Deque<(visit: UInt32, result: InvocationResult)> = []
    /// The stops of the next visit, from an itinerary.
    var pendingStops: [Itinerary.Stop] = []

    /// Creates a session that no other peer can claim, because `secret` proves the ownership of its ID.
    ///
    /// If it does not accept visits when they begin, its owner accepts each by ``accept(_:into:)``, and
    /// recognizes redelivered messages by their IDs.
    package init(
        secret: SessionSecret, program: String, processID: UInt32, acceptsVisits: Bool = true,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.init(
            id: secret.sessionID, secret, program: program, processID: processID,
            acceptsVisits: acceptsVisits, versions: versions)
    }

    /// Creates a session without a secret, as workers of release 0.1.0 do.
    package init(
        id: SessionID, program: String, processID: UInt32,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.init(
            id: id, nil, program: program, processID: processID, acceptsVisits: true,
            versions: versions)
    }

    private init(
        id: SessionID, _ secret: SessionSecret?, program: String, processID: UInt32,
        acceptsVisits: Bool, versions: ClosedRange<UInt16>
    ) {
        self.id = id
        self.secret = secret
        self.acceptsVisits = acceptsVisits
        self.program = program
        self.processID = processID
        self.versions = versions
    }

    // MARK: - The connection

    /// Sends the greeting on a new connection.
    package mutating func connected(into effects: inout [SessionEffect]) {
        state = .greeting
        effects.append(
            .sendMessage(
                Hello(
                    versions: versions, session: id, program: program, processID: processID,
                    isResumed: wasWelcomed, secret: secret
                ).encoded()))
    }

    /// Discards the state of a broken connection. Results of visits that still run are not sent; they
    /// answer a redelivery.
    package mutating func disconnected(into effects: inout [SessionEffect]) {
        state = .disconnected
        credit = 0
        redeliveries = []
        forgetCancelled(into: &effects)
        hasResumed = false
        outcomeCount = 0
        numbers = Numbers()
        for index in visitQueues.indices {
            visitQueues[index].removeWaiting()
        }
        visitQueueIndices.removeAll()
        subscribers.removeAll()
        visits.abandon()
        pendingStops = []
        effects.append(.reconnect)
    }

    /// Processes a message of the daemon. `header` is the header of the whole `message`. Throws
    /// `WireError` if it is invalid; the caller must then replace the connection.
    package mutating func received(
        _ header: Header, _ message: RawSpan, into effects: inout [SessionEffect]
    ) throws(WireError) {
        switch header.command {
        case .visit, .delivery:
            try receiveVisit(header, message, into: &effects)
        case .outcome:
            let isMore = header.fieldsLength > 0 || header.flags.contains(.carriesReply)
            applyOutcome(header, isMore ? Array(copying: message) : [], into: &effects)
        case .credit:
            returnCredit(header.code, into: &effects)
        case .beat:
            effects.append(.beat(header.id))
        case .accepted:
            applyAccepted(header.sequence, into: &effects)
        case .itinerary:
            pendingStops = try Itinerary(parsing: Array(copying: message)).stops
        default:
            try apply(header, Array(copying: message), into: &effects)
        }
    }

    /// Processes a message of a less frequent command.
    private mutating func apply(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) throws(WireError) {
        switch header.command {
        case .define:
            let definitions = try Define(parsing: message).definitions
            numbers.apply(definitions)
            guard numbers.count <= definitionCountMax else {
                throw WireError(
                    .limitReached, "the daemon has defined more than \(definitionCountMax) numbers")
            }
            applyActivations(definitions)
        case .welcome:
            apply(try Welcome(parsing: message), into: &effects)
        case .attached:
            apply(try Attached(parsing: message), into: &effects)
        case .detached:
            apply(try Detached(parsing: message), into: &effects)
        case .done:
            close(header.id)
            confirmSet(header.id)
            confirmChange(header.id, into: &effects)
            effects.append(.done(request: header.id))
        case .refused:
            apply(try Refused(parsing: message), into: &effects)
        case .answer:
            close(header.id)
            effects.append(.answered(request: header.id, message: message))
        case .cancel:
            cancelVisits(header, into: &effects)
        case .environment:
            let changes = try EnvironmentChanges(parsing: message)
            if let path = numbers.nodes[changes.node] {
                effects.append(.environment(path, changes))
            }
        case .settled:
            apply(try Settled(parsing: message), into: &effects)
        case .moved:
            apply(try Moved(parsing: message), into: &effects)
        case .violation:
            effects.append(.violated(try Violation(parsing: message)))
            disconnected(into: &effects)
        default:
            throw WireError("unexpected '\(header.command)': the daemon must not send it")
        }
    }

    private mutating func apply(_ welcome: Welcome, into effects: inout [SessionEffect]) {
        state = .welcomed
        wasWelcomed = true
        grantedCredit = welcome.credit
        beatMilliseconds = welcome.beatMilliseconds
        messageByteCountMax = welcome.limit("messageBytes")
        valueByteCountMax = welcome.limit("valueBytes")
        effects.append(.welcomed(welcome))
        if !declarations.isEmpty {
            effects.append(
                .sendMessage(
                    Attach(request: reattachRequest, nodes: declarations, names: wantedNames)
                        .encoded()))
        }
        for open in openRequests[..<firstAttach] where open.node == nil {
            effects.append(.sendMessage(open.message))
        }
        if declarations.isEmpty {
            // The nodes of the pending assignments have been detached, so these are refused.
            sendPendingSets(into: &effects)
            resume(into: &effects)
        }
    }

    private mutating func apply(_ refused: Refused, into effects: inout [SessionEffect]) {
        if refused.sequence > 0 {
            if inFlight.remove(refused.sequence) {
                effects.append(.raiseRefused(sequence: refused.sequence, refused))
            }
            returnCredit(1, into: &effects)
        } else {
            close(refused.request)
            removeSet(refused.request)
            pendingChanges[refused.request] = nil
            effects.append(.refused(request: refused.request, refused))
            if pendingAttach.removeValue(forKey: refused.request) != nil {
                sendHeldMessages(into: &effects)
                effects.append(.creditReturned)
            }
        }
    }

    /// Returns the path of the node with a number; `nil` if the daemon has not defined the number.
    package func path(of node: UInt32) -> NodePath? {
        numbers.nodes[node]
    }

    /// Returns the number of a node of this session; `nil` while it is not attached.
    package func number(of path: NodePath) -> UInt32? {
        numbers.ownNodes[path]
    }

    // MARK: - Beats

    /// Answers a beat after the executor of the responders has processed it. The beat tests that
    /// executor.
    package mutating func beatAnswered(_ beat: UInt64, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.send(Header(.beat, id: beat, sequence: outcomeCount)))
            returnAllCredit(into: &effects)
        }
    }
}

extension Welcome {
    /// Returns a limit of the daemon. A daemon that does not name it has none.
    fileprivate func limit(_ name: String) -> Int {
        limits.first { $0.name == name }.map { Int(clamping: $0.value) } ?? .max
    }
}

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = bytes.withUnsafeBytes { Array($0) }
    }
}
