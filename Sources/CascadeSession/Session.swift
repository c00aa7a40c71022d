// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// A worker's side of the conversation with the daemon: what happens in, what follows out. It knows
/// no socket, clock or task.
///
/// It outlives connections: when the daemon restarts, it greets anew under the same ID, attaches its
/// nodes again and sends again what has no outcome yet. What arrives for nodes is in the extension
/// beside this file.
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
    package private(set) var state = State.disconnected
    private let program: String
    private let processID: UInt32
    private let versions: ClosedRange<UInt16>
    private var wasWelcomed = false

    /// What has to stand in the tree, in the order in which it was attached.
    private var declarations: [NodeDeclaration] = []
    private var wantedNames: [EventName] = []
    /// The attach that brings back everything after a reconnect; nobody waits for it.
    private let reattachRequest: UInt64 = .max
    private var pendingAttach: [UInt64: [NodeDeclaration]] = [:]
    /// Requests that have no answer yet, and queries that are answered again and again, in the order
    /// in which they were made: each connection begins with them.
    private var openRequests: [(request: UInt64, isRepeating: Bool, message: [UInt8])] = []

    private var credit: UInt32 = 0
    /// What the daemon granted in its welcome.
    private var grantedCredit: UInt32 = 0
    private var nextSequence: UInt64 = 1
    private var inFlight = InFlightWindow()

    var numbers = Numbers()
    /// Of each of the nodes, and the place of each node's among them.
    var mailboxes: [Mailbox] = []
    var mailboxPlaces = NumberTable<Int>()
    /// The node that subscribes to each name, by numbers; where there are several, a delivery says
    /// which one it is for.
    var subscribers = NumberTable<UInt32>()
    var visits = VisitTable()
    /// The stops of the visit that comes next.
    var pendingStops: [Itinerary.Stop] = []

    package init(
        id: SessionID, program: String, processID: UInt32,
        versions: ClosedRange<UInt16> = ProtocolVersion.min...ProtocolVersion.max
    ) {
        self.id = id
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
                    isResumed: wasWelcomed
                ).encoded()))
    }

    /// The connection has ended. Visits that were under way are the old daemon's business: their
    /// results go nowhere.
    package mutating func disconnected(into effects: inout [SessionEffect]) {
        state = .disconnected
        credit = 0
        numbers = Numbers()
        mailboxes = []
        mailboxPlaces.removeAll()
        subscribers.removeAll()
        visits.forget()
        effects.append(.reconnect)
    }

    /// A message has come; `message` may be empty where the header says it all
    /// (``Header/isWholeMessage``). Throws ``WireError`` if it is none; then the connection is of no use.
    package mutating func received(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) throws(WireError) {
        switch header.command {
        case .visit, .delivery:
            try visited(header, message, into: &effects)
        case .itinerary:
            pendingStops = try Itinerary(parsing: message).stops
        case .outcome:
            ended(header, message, into: &effects)
        case .credit:
            credit += header.code
            effects.append(.creditReturned)
        case .beat:
            effects.append(.beat(header.id))
        case .define:
            numbers.learn(try Define(parsing: message).definitions)
        case .welcome:
            welcomed(try Welcome(parsing: message), into: &effects)
        case .attached:
            attached(try Attached(parsing: message), into: &effects)
        case .detached:
            detached(try Detached(parsing: message), into: &effects)
        case .done:
            close(header.id)
            effects.append(.done(request: header.id))
        case .refused:
            refused(try Refused(parsing: message), into: &effects)
        case .answer:
            close(header.id)
            effects.append(.answered(request: header.id, message: message))
        case .violation:
            effects.append(.violated(try Violation(parsing: message)))
            disconnected(into: &effects)
        case .hello, .attach, .change, .leave, .trigger, .accept, .verdict, .publish, .query,
            .activate:
            throw WireError("a '\(header.command)' is for the daemon to hear, not to say")
        }
    }

    private mutating func welcomed(_ welcome: Welcome, into effects: inout [SessionEffect]) {
        state = .welcomed
        wasWelcomed = true
        grantedCredit = welcome.credit
        effects.append(.welcomed(welcome))
        if !declarations.isEmpty {
            effects.append(
                .sendMessage(
                    Attach(request: reattachRequest, nodes: declarations, names: wantedNames)
                        .encoded()))
        }
        for open in openRequests {
            effects.append(.sendMessage(open.message))
        }
        if declarations.isEmpty {
            resume(into: &effects)
        }
    }

    /// Everything stands as before. What has no outcome yet goes first, in its old order; only then
    /// may something new be raised.
    private mutating func resume(into effects: inout [SessionEffect]) {
        let resent = inFlight.all
        for (sequence, entry) in resent {
            send(entry.raising, entry.options, sequence, into: &effects)
        }
        credit = grantedCredit - min(grantedCredit, UInt32(resent.count))
        effects.append(.creditReturned)
    }

    /// Sends a request at once, or as soon as there is a connection; and again on the next one, if
    /// this one breaks before the answer.
    package mutating func send(
        _ message: some WireMessage, into effects: inout [SessionEffect]
    ) {
        let encoded = message.encoded()
        let header = message.header
        openRequests.append((header.id, header.flags.contains(.repeating), encoded))
        if state == .welcomed {
            effects.append(.sendMessage(encoded))
        }
    }

    /// A request has its answer.
    private mutating func close(_ request: UInt64) {
        openRequests.removeAll { $0.request == request && !$0.isRepeating }
    }

    // MARK: - Nodes

    /// Attaches nodes, all or none. They are attached again, unasked, after each reconnect.
    package mutating func attach(
        _ nodes: [NodeDeclaration], names: [EventName], request: UInt64,
        into effects: inout [SessionEffect]
    ) {
        pendingAttach[request] = nodes
        wantedNames += names
        send(Attach(request: request, nodes: nodes, names: names), into: &effects)
    }

    private mutating func attached(_ attached: Attached, into effects: inout [SessionEffect]) {
        if let nodes = pendingAttach.removeValue(forKey: attached.request) {
            declarations += nodes
        }
        close(attached.request)
        for node in attached.nodes {
            numbers.learn(node)
            let declaration = declarations.last { $0.path == node.path }
            mailboxPlaces.insert(mailboxes.count, at: node.number)
            mailboxes.append(
                Mailbox(
                    concurrency: Int(declaration?.concurrency ?? 1),
                    prefetch: Int(declaration?.prefetch ?? 1)))
            for name in declaration?.subscriptions ?? [] {
                subscribers.insert(node.number, at: numbers.numbersOfNames[name] ?? 0)
            }
        }
        if attached.request == reattachRequest {
            resume(into: &effects)
        } else {
            effects.append(.attached(request: attached.request))
        }
    }

    private mutating func detached(_ detached: Detached, into effects: inout [SessionEffect]) {
        declarations.removeAll { $0.path == detached.path }
        numbers.forget(detached.path)
        if let place = mailboxPlaces.remove(detached.node) {
            visits.forget(place)
            mailboxes[place].waiting = []
        }
        effects.append(.detached(detached))
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
            pendingAttach[refused.request] = nil
            effects.append(.refused(request: refused.request, refused))
        }
    }

    // MARK: - Raising

    /// Whether something can be raised now. Where not, ``SessionEffect/creditReturned`` says when.
    package var canRaise: Bool {
        credit > 0
    }

    /// Raises an event or publication and returns its number.
    ///
    /// Precondition: ``canRaise``.
    package mutating func raise(
        _ raising: Raising, _ options: RaiseOptions, into effects: inout [SessionEffect]
    ) -> UInt64 {
        precondition(credit > 0, "something was raised without credit")
        credit -= 1
        let sequence = nextSequence
        nextSequence += 1
        if !options.flags.contains(.unacknowledged) {
            inFlight.insert(
                InFlightWindow.Entry(raising: raising, options: options), at: sequence)
        }
        send(raising, options, sequence, into: &effects)
        return sequence
    }

    private mutating func send(
        _ raising: Raising, _ options: RaiseOptions, _ sequence: UInt64,
        into effects: inout [SessionEffect]
    ) {
        var header = Header(
            .trigger, flags: options.flags, sequence: sequence, time: options.deadlineMilliseconds)
        if case .down(let destination) = options.direction {
            header.command = .publish
            header.code = destination.rawValue
        }
        header.name = numbers.number(of: raising.name)
        if case .node(let path) = options.origin {
            header.node = numbers.number(of: path)
        }
        guard
            header.name == 0 || header.node == Header.noNode || raising.contentType != nil
                || !raising.attributes.isEmpty
        else {
            effects.append(.sendRaised(header, fields: [], payload: raising.payload))
            return
        }
        let fields = fields(of: raising, options, &header)
        effects.append(.sendRaised(header, fields: fields, payload: raising.payload))
    }

    /// What the header's numbers do not say.
    private func fields(
        of raising: Raising, _ options: RaiseOptions, _ header: inout Header
    ) -> [UInt8] {
        var raised = Raised(attributes: raising.attributes, contentType: raising.contentType)
        if header.name == 0 {
            raised.name = raising.name
        }
        if header.node == Header.noNode {
            raised.origin = options.origin.path
        }
        if raised.name != nil || raised.origin != nil {
            header.flags.insert(.addressedInFields)
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        header.fieldsLength = UInt32(fields.bytes.count)
        return fields.bytes
    }

    private mutating func ended(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) {
        guard inFlight.remove(header.sequence) else {
            return
        }
        credit += 1
        effects.append(.ended(header, message: header.fieldsLength > 0 ? message : []))
        effects.append(.creditReturned)
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
            effects.append(.send(Header(.beat, id: beat)))
        }
    }
}
