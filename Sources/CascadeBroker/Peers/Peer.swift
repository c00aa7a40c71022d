// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// One connection and its session. Only its methods change its declared state.
struct Peer: Sendable {
    enum State: Sendable {
        /// Nothing has been said. Exits: greeted, gone.
        case connected
        /// A session is on it. Exits: ended, gone.
        case greeted
        /// Its session broke the protocol or was superseded; its messages are ignored. Exits: gone.
        case ended
    }

    private(set) var generation: UInt32 = 0
    private(set) var state = State.ended
    private(set) var credentials = Credentials(processID: 0, userID: 0, groupID: 0)
    /// The identity of the connection, if it has brought in the session of a key of another bus.
    private(set) var carrier: PolicyIdentity?
    /// The rules of the policy for it, and the decisions so far.
    private(set) var authorization = PolicyAuthorization.none
    private(set) var decisions: [PolicyCheck: Bool] = [:]
    private(set) var program = ""
    /// The account that it is charged to.
    private(set) var account = AccountTable.own
    /// Whether the end of its process is reported; otherwise missing beats show it.
    private(set) var isWatched = true
    /// Its number in the table of sessions, once it has greeted.
    private(set) var session = SessionIndex.none
    private(set) var nodes: [NodeIndex] = []
    /// The number of elements that its nodes declare, and of names that it has requested.
    private(set) var declarationCount = 0

    /// The places and sessions of another bus that it has raised messages for.
    var foreign = ForeignOrigins()

    private(set) var memory = SessionMemory()
    /// The number of triggers and publications whose credit has not been returned, those in
    /// ``creditDue`` included.
    private(set) var creditUsed: UInt32 = 0
    /// The number of ended unacknowledged messages whose credit has not been returned yet.
    private(set) var creditDue: UInt32 = 0

    /// The numbers that are defined for it.
    var numbers = DefinedNumbers()

    private(set) var greetingDeadline = DeadlineQueue.none
    /// Beats it has not answered.
    private(set) var missedBeats = 0
    /// Leave requests that are done once their nodes are gone.
    private(set) var pendingLeaves = PendingLeaves()

    /// Whether it has been silent for so long that it counts as gone, where its end is not
    /// reported.
    var countsAsGone: Bool {
        !isWatched && missedBeats >= 10
    }

    var isResponsive: Bool {
        missedBeats < 3
    }

    // MARK: - The connection

    /// A record without a connection.
    init() {}

    /// A connection on which nothing has been said.
    init(
        _ peer: PeerID, _ credentials: Credentials, _ authorization: PolicyAuthorization,
        account: AccountIndex,
        greetingDeadline: DeadlineQueue.Handle
    ) {
        generation = peer.generation
        state = .connected
        self.credentials = credentials
        self.authorization = authorization
        self.account = account
        self.greetingDeadline = greetingDeadline
    }

    /// Makes the session that of a key, which the connection has brought in. From now on it has the
    /// rights and the account of the key, and none of the connection's own.
    mutating func become(
        keyNamed key: String, _ authorization: PolicyAuthorization, account: AccountIndex
    ) {
        carrier = credentials.identity
        credentials = Credentials(of: key, carriedBy: credentials)
        self.account = account
        authorize(authorization)
    }

    /// - Parameter processID: the ID according to the peer, for connections without a kernel
    ///   report.
    mutating func greet(program: String, processID: UInt32) {
        state = .greeted
        self.program = program
        if credentials.processID == 0 {
            credentials.processID = processID
        }
    }

    /// Ends the session: its messages are ignored from now on.
    mutating func end() {
        state = .ended
    }

    /// Records that the end of its process will not be reported.
    mutating func markUnwatched() {
        isWatched = false
    }

    // MARK: - The session

    mutating func begin(_ session: SessionIndex) {
        self.session = session
    }

    /// Resumes a session of another connection.
    mutating func resume(_ session: SessionIndex, _ memory: SessionMemory) {
        self.session = session
        self.memory = memory
        self.memory.resume()
    }

    /// Something of this number has been raised.
    mutating func recordSequence(_ sequence: UInt64) {
        memory.recordSequence(sequence)
    }

    /// The outcome of this number comes on this connection.
    mutating func recordPending(_ sequence: UInt64) {
        memory.recordPending(sequence)
    }

    /// Begins new messages. Returns the payloads of outcomes that are no longer kept.
    mutating func beginRaising() -> [Payload] {
        memory.beginRaising()
    }

    /// The session has got so many outcomes on this connection. Returns the payloads of outcomes
    /// that are no longer kept.
    mutating func confirmReceived(_ count: UInt64) -> [Payload] {
        memory.confirmReceived(count)
    }

    // MARK: - Outcomes

    /// Returns the credit of a message that ends so, and keeps its outcome. Returns the payload that
    /// is no longer kept, if any.
    mutating func end(_ entry: UnconfirmedOutcomes.Entry, limit: UInt32) -> Payload? {
        creditUsed -= 1
        return memory.keep(entry, limit: limit)
    }

    /// Keeps an outcome that its header says. Returns the payload that is no longer kept, if any.
    mutating func keep(_ entry: UnconfirmedOutcomes.Entry, limit: UInt32) -> Payload? {
        memory.keep(entry, limit: limit)
    }

    /// Keeps an outcome. Returns the payloads that are no longer kept.
    mutating func keep(
        _ entry: UnconfirmedOutcomes.Entry, _ more: UnconfirmedOutcomes.More, limit: UInt32,
        byteLimit: UInt32
    ) -> [Payload] {
        memory.keep(entry, more, limit: limit, byteLimit: byteLimit)
    }

    /// Removes and returns the outcome with this number, to be sent again.
    mutating func takeOutcome(
        _ sequence: UInt64
    ) -> (entry: UnconfirmedOutcomes.Entry, more: UnconfirmedOutcomes.More?)? {
        memory.take(sequence)
    }

    /// Holds to a limit that was lowered. Returns the payloads that are no longer kept.
    mutating func shrinkOutcomes(to byteLimit: UInt32) -> [Payload] {
        memory.shrink(to: byteLimit)
    }

    /// Forgets the outcomes. Returns their payloads.
    mutating func forgetOutcomes() -> [Payload] {
        memory.forgetAll()
    }

    // MARK: - Nodes

    /// A request to leave waits until the node has gone, or all nodes for ``Slab/Index/none``.
    mutating func addLeave(_ request: UInt64, of node: NodeIndex) throws(WireError) {
        try pendingLeaves.append(request, of: node)
    }

    /// Removes and returns the requests to leave whose nodes have gone.
    mutating func takeLeaves(where isGone: (NodeIndex) -> Bool) -> [UInt64] {
        pendingLeaves.removeAll(where: isGone)
    }

    mutating func gain(_ node: NodeIndex) {
        nodes.append(node)
    }

    mutating func lose(_ node: NodeIndex) {
        nodes.removeAll { $0 == node }
    }

    /// - Parameter count: how much more it declares now; negative for less.
    mutating func countDeclared(_ count: Int) {
        declarationCount += count
    }

    // MARK: - Credit

    /// Records the session's next message, which confirms so many outcomes, and takes its credit.
    /// Returns `false`, and changes nothing, if it is not the next one, if there is no credit for
    /// it, or if payloads of outcomes have to be released.
    mutating func takeNext(
        _ sequence: UInt64, confirming count: UInt64, creditLimit: UInt32
    ) -> Bool {
        guard creditUsed < creditLimit, memory.recordNext(sequence, confirming: count) else {
            return false
        }
        creditUsed += 1
        return true
    }

    mutating func takeCredit() {
        creditUsed += 1
    }

    mutating func returnCredit() {
        creditUsed -= 1
    }

    /// Counts an ended unacknowledged message, whose credit is returned in a batch. Returns the
    /// credit to return now.
    mutating func returnUnacknowledged(batch: UInt32) -> UInt32? {
        creditDue += 1
        guard creditDue >= batch else {
            return nil
        }
        defer { creditDue = 0 }
        creditUsed -= creditDue
        return creditDue
    }

    // MARK: - Beats

    mutating func countBeat() {
        missedBeats += 1
    }

    mutating func recordBeatAnswer() {
        missedBeats = 0
    }

    // MARK: - Policy

    mutating func authorize(_ authorization: PolicyAuthorization) {
        self.authorization = authorization
        decisions = [:]
    }

    /// Caches a decision of the policy; a full cache is emptied first.
    mutating func remember(_ isAllowed: Bool, for check: PolicyCheck) {
        if decisions.count >= PolicyCheck.rememberedMax {
            decisions.removeAll(keepingCapacity: true)
        }
        decisions[check] = isAllowed
    }

    /// Returns and removes the cached decisions, for a viewer that adds to them and returns them.
    mutating func takeDecisions() -> [PolicyCheck: Bool] {
        var taken: [PolicyCheck: Bool] = [:]
        swap(&taken, &decisions)
        return taken
    }

    mutating func putBack(_ decisions: [PolicyCheck: Bool]) {
        self.decisions = decisions
    }
}
