// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// A worker's side of the conversation with the daemon: what happens in, what follows out. It knows
/// no socket, clock or task.
///
/// It outlives connections: when one breaks, it greets anew under the same ID, attaches its nodes
/// again and sends again what has no outcome yet. Nodes, what is raised and what arrives
/// for nodes are in the extensions beside this file.
package struct Session: Sendable {
    package enum State: Sendable, Equatable {
        /// There is no connection. Exits: greeting.
        case disconnected
        /// The greeting is on its way. Exits: welcomed, disconnected.
        case greeting
        /// The daemon knows the session. Exits: disconnected.
        case welcomed
    }

    package let id: SessionID
    private let secret: SessionSecret?
    package private(set) var state = State.disconnected
    private let program: String
    private let processID: UInt32
    private let versions: ClosedRange<UInt16>
    private var wasWelcomed = false

    /// What has to stand in the tree, in the order in which it was attached.
    var declarations: [NodeDeclaration] = []
    var wantedNames: [EventName] = []
    /// The attach that brings back everything after a reconnect; nobody waits for it.
    package let reattachRequest: UInt64 = .max
    /// What has been asked for and not yet answered.
    var pendingAttach: [UInt64: [NodeDeclaration]] = [:]
    /// What nodes have set and nobody has confirmed, in order.
    var pendingSets: [PendingSet] = []
    /// Requests that have no answer yet, and queries that are answered again and again, in the
    /// order in which they were made: each connection begins with them.
    private var openRequests: [OpenRequest] = []

    private struct OpenRequest: Sendable {
        var request: UInt64
        var isRepeating: Bool
        var message: [UInt8]
        /// The node that it is about. Each daemon has another number for it.
        var node: NodePath?
        /// Whether it waits for nodes to be attached.
        var isHeld = false
    }

    var credit: UInt32 = 0
    /// Whether all that is to be sent again on this connection has been. Nothing new may go first.
    var hasResumed = false
    /// What the daemon granted in its welcome.
    var grantedCredit: UInt32 = 0
    /// The longest message that the bus takes, as far as it has said.
    var messageByteCountMax = Int.max
    /// How often the daemon sends a beat.
    package private(set) var beatMilliseconds: UInt32 = 0
    var nextSequence: UInt64 = 1
    var inFlight = InFlightWindow()
    /// Durable events that the bus has accepted, and whose outcomes have not come.
    var acceptedSequences: Set<UInt64> = []
    /// Outcomes that have come on this connection. The daemon keeps none of them any longer than it
    /// takes to tell it so.
    var outcomeCount: UInt64 = 0

    var numbers = Numbers()
    /// One for each path that a node of this session has, or had.
    var mailboxes: [Mailbox] = []
    var mailboxesByPath: [NodePath: Int] = [:]
    /// The mailboxes of the nodes that are attached, by the nodes' numbers.
    var mailboxPlaces = NumberTable<Int>()
    /// The node that subscribes to each name, by numbers; where there are several, a delivery says
    /// which one it is for.
    var subscribers = NumberTable<UInt32>()
    var visits = VisitTable()
    var verdicts = VerdictWindow()
    /// Visits whose answer is known.
    var replays: Deque<(visit: UInt32, result: InvocationResult)> = []
    /// The stops of the visit that comes next.
    var pendingStops: [Itinerary.Stop] = []

    /// A session that no other peer can claim: `secret` proves that its ID is its own.
    package init(
        secret: SessionSecret, program: String, processID: UInt32,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.init(
            id: secret.sessionID, secret, program: program, processID: processID,
            versions: versions)
    }

    /// A session without a secret, as workers of release 0.1.0 have them.
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

    /// There is a new connection: it begins with a greeting.
    package mutating func connected(into effects: inout [SessionEffect]) {
        state = .greeting
        effects.append(
            .sendMessage(
                Hello(
                    versions: versions, session: id, program: program, processID: processID,
                    isResumed: wasWelcomed, secret: secret
                ).encoded()))
    }

    /// The connection has ended. Visits that were under way are its business: their results go
    /// nowhere, unless they come again.
    package mutating func disconnected(into effects: inout [SessionEffect]) {
        state = .disconnected
        credit = 0
        hasResumed = false
        outcomeCount = 0
        numbers = Numbers()
        for place in mailboxes.indices {
            mailboxes[place].empty()
        }
        mailboxPlaces.removeAll()
        subscribers.removeAll()
        visits.forget()
        pendingStops = []
        effects.append(.reconnect)
    }

    /// A message has come: `message` is all of it, `header` its beginning. Throws ``WireError`` if
    /// it is none; then the connection is of no use.
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
            credit += min(header.code, .max - credit)
            effects.append(.creditReturned)
        case .beat:
            effects.append(.beat(header.id))
        case .accepted:
            accepted(header.sequence, into: &effects)
        case .itinerary:
            pendingStops = try Itinerary(parsing: Array(copying: message)).stops
        default:
            try told(header, Array(copying: message), into: &effects)
        }
    }

    /// What is said once rather than in the steady state has come.
    private mutating func told(
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
            throw WireError("a '\(header.command)' is for the daemon to hear, not to say")
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
            // The nodes in whose names something was to be set are gone.
            sendPendingSets(into: &effects)
            resume(into: &effects)
        }
    }

    /// Sends a request at once, or as soon as there is a connection; and again on the next one, if
    /// this one breaks before the answer.
    package mutating func send(
        _ message: some WireMessage, into effects: inout [SessionEffect]
    ) {
        let encoded = message.encoded()
        let header = message.header
        let node = numbers.nodes[header.node]
        let isHeld = node != nil && mayRenumber
        let isEarly = node == nil && mayRenumber && !hasResumed
        openRequests.append(
            OpenRequest(
                request: header.id, isRepeating: header.flags.contains(.repeating),
                message: encoded, node: node, isHeld: isHeld))
        if state == .welcomed, !isHeld, !isEarly {
            effects.append(.sendMessage(encoded))
        }
    }

    /// Whether the daemon may be giving numbers to nodes just now. A node that has gone meanwhile,
    /// as an administrator may want it to, leaves its number to one that comes: nothing may be said
    /// of a node before that is known.
    var mayRenumber: Bool {
        !pendingAttach.isEmpty
    }

    /// Asks again for what is about one of this session's nodes, by the number that it has now.
    mutating func resendRequestsOfNodes(into effects: inout [SessionEffect]) {
        for place in openRequests.indices where openRequests[place].node != nil {
            openRequests[place].isHeld = true
        }
        sendHeldRequests(into: &effects)
    }

    /// Nodes that were being attached when the connection broke come behind all that is about those
    /// that stand already, and what was asked after them comes behind them.
    mutating func resendAttaches(into effects: inout [SessionEffect]) {
        for open in openRequests[firstAttach...] where open.node == nil {
            effects.append(.sendMessage(open.message))
        }
    }

    /// The place of the first attach that has no answer.
    private var firstAttach: Int {
        openRequests.firstIndex { pendingAttach[$0.request] != nil } ?? openRequests.count
    }

    /// A node that is gone has left, whatever was asked of it and is not on its way.
    mutating func closeRequestsOfGoneNodes(into effects: inout [SessionEffect]) {
        for open in openRequests where open.isHeld {
            if let path = open.node, numbers.ownNodes[path] == nil {
                close(open.request)
                effects.append(.done(request: open.request))
            }
        }
    }

    /// What waited for nodes to be attached need not wait any longer.
    mutating func sendHeldRequests(into effects: inout [SessionEffect]) {
        closeRequestsOfGoneNodes(into: &effects)
        sendHeld(into: &effects)
    }

    private mutating func sendHeld(into effects: inout [SessionEffect]) {
        for place in openRequests.indices where openRequests[place].isHeld {
            guard let path = openRequests[place].node, let number = numbers.ownNodes[path],
                var header = try? Header(parsing: openRequests[place].message)
            else {
                continue
            }
            openRequests[place].isHeld = false
            header.node = number
            let rest = openRequests[place].message.dropFirst(Header.byteCount)
            effects.append(.sendMessage(header.encoded() + rest))
        }
    }

    /// What was asked of a node is asked of it where it is now.
    mutating func moveRequests(_ old: NodePath, to new: NodePath) {
        for place in openRequests.indices where openRequests[place].node == old {
            openRequests[place].node = new
        }
    }

    /// Nobody waits for the answers to a repeating query any more.
    package mutating func endRepeatingQuery(
        _ request: UInt64, into effects: inout [SessionEffect]
    ) {
        let countBefore = openRequests.count
        openRequests.removeAll { $0.request == request && $0.isRepeating }
        if state == .welcomed, openRequests.count < countBefore {
            // The last answer is to be a short one, and nobody reads it.
            let last = Query(request: request, .tree(path: .root, depth: 0))
            effects.append(.sendMessage(last.encoded()))
        }
    }

    /// A request has its answer.
    mutating func close(_ request: UInt64) {
        openRequests.removeAll { $0.request == request && !$0.isRepeating }
    }

    private mutating func refused(_ refused: Refused, into effects: inout [SessionEffect]) {
        if refused.sequence > 0 {
            credit += 1
            if inFlight.remove(refused.sequence) {
                effects.append(.raiseRefused(sequence: refused.sequence, refused))
            }
            effects.append(.creditReturned)
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

    /// The path that a node number stands for, if the daemon has said.
    package func path(of node: UInt32) -> NodePath? {
        numbers.nodes[node]
    }

    /// The number of a node of this session; `nil` while it is not attached.
    package func number(of path: NodePath) -> UInt32? {
        numbers.ownNodes[path]
    }

    // MARK: - Signs of life

    /// The responders' executor has come round to a beat.
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
