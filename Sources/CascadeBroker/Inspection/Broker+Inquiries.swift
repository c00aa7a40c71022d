// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// Scheduling of queries: a small answer is given at once, a large one in pieces, and a user who
/// requests more than a share of the broker's time waits.
extension Broker {
    // MARK: - Viewers

    /// Throws if the session may not ask this at all.
    func checkVisible(_ subject: Query.Subject, to peer: PeerID) throws(WireError) {
        switch subject {
        case .tree(let path, _), .treeChanges(let path, _), .activity(let path, _),
            .subscribers(_, let path), .environment(let path, _), .explanation(_, let path),
            .environmentTree(_, let path), .preferences(let path):
            try check(.inspect, path, by: peer)
        case .route(let route): try check(.inspect, route.path, by: peer)
        case .bus, .rules, .rulesDifference, .policy, .metrics: try check(.inspect, .root, by: peer)
        case .policyTest(let test):
            // A user may query its own authorization.
            if test.identity != nil {
                try check(.inspect, .root, by: peer)
                try check(.inspect, test.path, by: peer)
            }
        case .trace, .undelivered, .undeliveredEvent, .underWay, .check, .monitor, .summary,
            .sites:
            break
        }
    }

    /// Looks at the bus as a session may, for an answer of so many steps.
    mutating func inspect<Result, Failure: Error>(
        as peer: PeerID, _ budget: Viewer.Budget = .unbounded,
        _ look: (inout Broker, inout Viewer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var viewer = peers.takeViewer(for: peer, budget)
        defer {
            peers.putBack(viewer, of: peer)
        }
        return try look(&self, &viewer)
    }

    // MARK: - Turns

    /// Answers at once if possible; otherwise the query waits for its turn.
    mutating func begin(_ inquiry: Inquiry) throws(WireError) {
        var inquiry = inquiry
        if observers.inquiries.mayBegin(inquiry.lane, at: now), try work(on: &inquiry) {
            return
        }
        try wait(inquiry)
    }

    private mutating func wait(_ inquiry: Inquiry) throws(WireError) {
        let limit = configuration.limits.queriesPerUser
        guard observers.inquiries.count(of: inquiry.account) < Int(limit) else {
            throw WireError(
                .limitReached,
                "\(limit) queries of \(accounts[inquiry.account].owner) are being answered "
                    + "(limit queriesPerUser)")
        }
        observers.inquiries.append(inquiry, at: now)
    }

    mutating func scheduleInquiries() {
        guard let next = observers.inquiries.nextTurn else {
            return
        }
        let scheduled = observers.inquiries.scheduled
        if let instant = deadlines.instant(of: scheduled), instant <= next {
            return
        }
        deadlines.remove(scheduled)
        observers.inquiries.schedule(deadlines.insert(next, .inquiries))
    }

    /// One query gets one turn.
    mutating func continueInquiries() {
        while var inquiry = observers.inquiries.takeReady(at: now) {
            if isWanted(inquiry) {
                advance(&inquiry)
                return
            }
        }
    }

    /// Works on an answer for one turn, or refuses a query that cannot be answered.
    mutating func advance(_ inquiry: inout Inquiry) {
        do throws(WireError) {
            if try !work(on: &inquiry) {
                observers.inquiries.append(inquiry, at: now)
            }
        } catch {
            refuse(inquiry, error)
        }
    }

    mutating func refuse(_ inquiry: Inquiry, _ error: WireError) {
        send(
            Refused(
                request: inquiry.query.request, code: error.code, sentence: error.description),
            to: inquiry.peer)
        repeated(inquiry, byteCount: 0)
        guard !inquiry.isRepetition, !error.code.isLookupMiss else {
            return
        }
        observers.counters.count(.refused)
        log(
            .refused(
                processID: peers[inquiry.peer].credentials.processID, error.code,
                sentence: error.description))
    }

    /// Returns whether the answer has been sent.
    private mutating func work(on inquiry: inout Inquiry) throws(WireError) -> Bool {
        let limit = configuration.limits.querySteps
        let budget = Viewer.Budget(
            stepsMax: Int(limit) - inquiry.steps,
            stepsAtOnceMax: max(Int(limit) / 64, InquiryTable.stepsPerTurn), limit: limit)
        var steps = 0
        defer {
            inquiry.steps += steps
            observers.inquiries.charge(steps, to: inquiry.lane, at: now)
        }
        return try inspect(as: inquiry.peer, budget) { broker, viewer throws(WireError) in
            defer {
                steps = viewer.steps
            }
            try viewer.spend(1)
            if case .environment(let path, _) = inquiry.query.subject {
                viewer.readsValues = broker.mayAct(.uplink, path, inquiry.peer)
            }
            return try broker.work(on: &inquiry, for: &viewer)
        }
    }

    /// Returns whether the answer has been sent.
    private mutating func work(
        on inquiry: inout Inquiry, for viewer: inout Viewer
    ) throws(WireError) -> Bool {
        if inquiry.progress == nil {
            let count = turn.effects.count
            inquiry.progress = try answer(inquiry, for: &viewer)
            guard inquiry.progress != nil else {
                withholdRepeatedAnswer(of: inquiry, from: count)
                repeated(inquiry, byteCount: byteCount(ofEffectsFrom: count))
                return true
            }
        }
        guard var progress = inquiry.progress else {
            return true
        }
        inquiry.progress = nil
        let isDone = try add(to: &progress, inquiry.query.subject, for: &viewer)
        guard progress.byteCount <= Int(configuration.limits.messageBytes) else {
            throw WireError(
                .limitReached,
                "the answer has more than \(configuration.limits.messageBytes) bytes (limit "
                    + "messageBytes); ask about less: a deeper path, a smaller depth")
        }
        guard isDone else {
            inquiry.progress = progress
            return false
        }
        send(progress, inquiry)
        return true
    }

    /// Summaries and values cross links between machines, and most changes of the tree leave them as they
    /// are.
    private mutating func withholdRepeatedAnswer(of inquiry: Inquiry, from first: Int) {
        guard case .sendMessage(let answer, _)? = turn.effects[first...].last,
            isRepeated(answer, inquiry)
        else {
            return
        }
        turn.effects.removeLast()
    }

    /// Whether an answer is the same as the one before, to a query whose equal answers are not repeated.
    private mutating func isRepeated(_ answer: [UInt8], _ inquiry: Inquiry) -> Bool {
        guard let repetition = inquiry.repetition else {
            return false
        }
        switch inquiry.query.subject {
        case .summary, .preferences, .environment(_, nil):
            return observers.repeatingQueries.repeats(answer, repetition, of: inquiry.peer)
        default: return false
        }
    }

    private func byteCount(ofEffectsFrom first: Int) -> Int {
        turn.effects[first...].reduce(0) { count, effect in
            if case .sendMessage(let bytes, _) = effect { count + bytes.count } else { count }
        }
    }

    private mutating func send(_ progress: Inquiry.Progress, _ inquiry: Inquiry) {
        if let version = progress.version, let repetition = inquiry.repetition {
            observers.repeatingQueries.recordSent(version, repetition, of: inquiry.peer)
        }
        guard !progress.hasOnlyChanges || !progress.isEmpty else {
            repeated(inquiry, byteCount: 0)
            return
        }
        let message: [UInt8]
        switch inquiry.query.subject {
        case .tree, .treeChanges, .activity:
            var header = Header(.answer, id: inquiry.query.request)
            if case .treeChanges = inquiry.query.subject {
                // The version of the tree would tell of changes that the peer may not see.
                header.sequence =
                    inquiry.repetition.map {
                        observers.repeatingQueries.countAnswer($0, of: inquiry.peer)
                    } ?? 1
            }
            header.fieldsLength = UInt32(progress.fields.bytes.count)
            message = header.encoded() + progress.fields.bytes
        default:
            message = DocumentAnswer(
                request: inquiry.query.request, document: progress.document
            ).encoded()
        }
        guard !isRepeated(message, inquiry) else {
            repeated(inquiry, byteCount: 0)
            return
        }
        turn.effects.append(.sendMessage(message, to: inquiry.peer))
        repeated(inquiry, byteCount: message.count)
    }
}
