// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// The worker's state machine of the protocol: it consumes messages and produces effects, and has
/// no socket, clock or task.
///
/// A session outlives its connections. When one breaks, the session greets again under the same ID,
/// attaches its nodes again, and sends messages without an outcome again. Extensions in the files
/// beside this one contain nodes, raising, and visits.
package struct Session: ~Copyable, Sendable {
    package enum State: Sendable, Equatable {
        /// No connection. Next: greeting.
        case disconnected
        /// The greeting has been sent. Next: welcomed, disconnected.
        case greeting
        /// The daemon has accepted the session. Next: disconnected.
        case welcomed
    }

    package let id: SessionID
    private let secret: SessionSecret?
    package private(set) var state = State.disconnected
    private let program: String
    private let processID: UInt32
    private let versions: ClosedRange<UInt16>
    private var wasWelcomed = false

    /// The declarations of the attached nodes, in the order of their attachment.
    var declarations: [NodeDeclaration] = []
    var wantedNames: [EventName] = []
    /// The number of the attach request after a reconnect, whose answer no caller waits for.
    package let reattachRequest: UInt64 = .max
    /// The attach requests without an answer.
    var pendingAttach: [UInt64: [NodeDeclaration]] = [:]
    /// The assignments without a confirmation, in order.
    var pendingSets: [PendingSet] = []
    /// The requests without an answer and the repeating queries, in order. Each new connection
    /// sends them again.
    var openRequests: [OpenRequest] = []

    var credit: UInt32 = 0
    /// The messages that wait for credit to be sent again, by their sequence numbers.
    var redeliveries: Deque<UInt64> = []
    /// Whether this connection has sent everything that is sent again. New messages must not
    /// precede it.
    var hasResumed = false
    /// The credit that the daemon granted in its welcome.
    var grantedCredit: UInt32 = 0
    /// The daemon's limit for the length of a message, in bytes.
    var messageByteCountMax = Int.max
    /// The interval of the daemon's beats.
    package private(set) var beatMilliseconds: UInt32 = 0
    var nextSequence: UInt64 = 1
    var inFlight = InFlightWindow()
    /// The accepted durable events without an outcome.
    var acceptedSequences: Set<UInt64> = []
    /// The number of outcomes received on this connection. The daemon keeps an outcome until this
    /// count confirms it.
    var outcomeCount: UInt64 = 0

    var numbers = Numbers()
    /// The visit queues, one for each path that a node of this session has or had.
    var visitQueues: [VisitQueue] = []
    var visitQueuesByPath: [NodePath: Int] = [:]
    /// The visit queues of the attached nodes, by the nodes' numbers.
    var visitQueuePlaces = NumberTable<Int>()
    /// The subscribing node of each name, by numbers. If there are several, each delivery names its
    /// node.
    var subscribers = NumberTable<UInt32>()
    var visits = VisitTable()
    var verdicts = VerdictWindow()
    /// Visits whose answer is known.
    var replays: Deque<(visit: UInt32, result: InvocationResult)> = []
    /// The stops of the visit that comes next.
    var pendingStops: [Itinerary.Stop] = []

    /// Creates a session that no other peer can claim: `secret` proves the ownership of its ID.
    package init(
        secret: SessionSecret, program: String, processID: UInt32,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.init(
            id: secret.sessionID, secret, program: program, processID: processID,
            versions: versions)
    }

    /// Creates a session without a secret, as workers of release 0.1.0 do.
    package init(
        id: SessionID, program: String, processID: UInt32,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.init(id: id, nil, program: program, processID: processID, versions: versions)
    }

    private init(
        id: SessionID, _ secret: SessionSecret?, program: String, processID: UInt32,
        versions: ClosedRange<UInt16>
    ) {
        self.id = id
        self.secret = secret
        self.program = program
        self.processID = processID
        self.versions = versions
    }

    // MARK: - The connection

    /// Begins a new connection with a greeting.
    package mutating func connected(into effects: inout [SessionEffect]) {
        state = .greeting
        effects.append(
            .sendMessage(
                Hello(
                    versions: versions, session: id, program: program, processID: processID,
                    isResumed: wasWelcomed, secret: secret
                ).encoded()))
    }

    /// Ends the connection. Results of visits that still run are not sent, but answer a redelivery.
    package mutating func disconnected(into effects: inout [SessionEffect]) {
        state = .disconnected
        credit = 0
        redeliveries = []
        forgetCancelled(into: &effects)
        hasResumed = false
        outcomeCount = 0
        numbers = Numbers()
        for place in visitQueues.indices {
            visitQueues[place].empty()
        }
        visitQueuePlaces.removeAll()
        subscribers.removeAll()
        visits.forget()
        pendingStops = []
        effects.append(.reconnect)
    }

    /// Processes a message. `message` is the whole message, `header` its beginning. Throws
    /// ``WireError`` if it is invalid; then the connection is useless.
    package mutating func received(
        _ header: Header, _ message: RawSpan, into effects: inout [SessionEffect]
    ) throws(WireError) {
        switch header.command {
        case .visit, .delivery:
            try visited(header, message, into: &effects)
        case .outcome:
            let isMore = header.fieldsLength > 0 || header.flags.contains(.carriesReply)
            ended(header, isMore ? Array(copying: message) : [], into: &effects)
        case .credit:
            returnCredit(header.code, into: &effects)
        case .beat:
            effects.append(.beat(header.id))
        case .accepted:
            accepted(header.sequence, into: &effects)
        case .itinerary:
            pendingStops = try Itinerary(parsing: Array(copying: message)).stops
        default:
            try apply(header, Array(copying: message), into: &effects)
        }
    }

    /// Processes a message that is rare in the steady state.
    private mutating func apply(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) throws(WireError) {
        switch header.command {
        case .define:
            let definitions = try Define(parsing: message).definitions
            numbers.learn(definitions)
            learnActivations(definitions)
        case .welcome:
            welcomed(try Welcome(parsing: message), into: &effects)
        case .attached:
            attached(try Attached(parsing: message), into: &effects)
        case .detached:
            detached(try Detached(parsing: message), into: &effects)
        case .done:
            close(header.id)
            confirmSet(header.id)
            effects.append(.done(request: header.id))
        case .refused:
            refused(try Refused(parsing: message), into: &effects)
        case .answer:
            close(header.id)
            effects.append(.answered(request: header.id, message: message))
        case .cancel:
            cancelled(header, into: &effects)
        case .environment:
            let changes = try EnvironmentChanges(parsing: message)
            if let path = numbers.nodes[changes.node] {
                effects.append(.environment(path, changes))
            }
        case .settled:
            settled(try Settled(parsing: message), into: &effects)
        case .moved:
            moved(try Moved(parsing: message), into: &effects)
        case .violation:
            effects.append(.violated(try Violation(parsing: message)))
            disconnected(into: &effects)
        default:
            throw WireError("the daemon must not send a '\(header.command)'")
        }
    }

    private mutating func welcomed(_ welcome: Welcome, into effects: inout [SessionEffect]) {
        state = .welcomed
        wasWelcomed = true
        grantedCredit = welcome.credit
        beatMilliseconds = welcome.beatMilliseconds
        messageByteCountMax =
            welcome.limits.first { $0.name == "messageBytes" }.map { Int(clamping: $0.value) }
            ?? .max
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
            // The nodes of the pending assignments are gone; they are refused.
            sendPendingSets(into: &effects)
            resume(into: &effects)
        }
    }

    private mutating func refused(_ refused: Refused, into effects: inout [SessionEffect]) {
        if refused.sequence > 0 {
            if inFlight.remove(refused.sequence) {
                effects.append(.raiseRefused(sequence: refused.sequence, refused))
            }
            returnCredit(1, into: &effects)
        } else {
            close(refused.request)
            forgetSet(refused.request)
            effects.append(.refused(request: refused.request, refused))
            if pendingAttach.removeValue(forKey: refused.request) != nil {
                nodesHaveNumbers(into: &effects)
                effects.append(.creditReturned)
            }
        }
    }

    /// Returns the path of a node number, if the daemon has defined it.
    package func path(of node: UInt32) -> NodePath? {
        numbers.nodes[node]
    }

    /// Returns the number of a node of this session; `nil` while it is not attached.
    package func number(of path: NodePath) -> UInt32? {
        numbers.ownNodes[path]
    }

    // MARK: - Beats

    /// Answers a beat, after the executor of the responders has reached it.
    package mutating func beatAnswered(_ beat: UInt64, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.send(Header(.beat, id: beat, sequence: outcomeCount)))
        }
    }
}

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = bytes.withUnsafeBytes { Array($0) }
    }
}
