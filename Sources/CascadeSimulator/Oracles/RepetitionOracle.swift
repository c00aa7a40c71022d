// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Checks that neither an event to a daemon nor a visit to a responder is repeated without a mark, and
/// that a session that has answered a marked message does not work on it again.
///
/// A message that waited for a responder, or was retried, may visit a responder again without a mark.
///
/// A session that the daemon does not know triggers its pending messages again. Visits from before that
/// have no mark, and may begin after the marked ones because of a slow node.
struct RepetitionOracle {
    /// One event at one responder of one session.
    struct Attempt: Hashable {
        var session: SessionID
        var node: NodePath
        /// The responder's index; `nil` for the node's subscription.
        var responder: Int?
        var event: EventID
        /// The lane and name at that time. An error may replace an event or another error.
        var lane: Lane
        var name: EventName
    }

    private enum Progress {
        case running
        case answered
        /// The visit was passed or cancelled, so it may run again.
        case open
    }

    /// The number of answers that a session stores at least.
    private static let answersMax = 900

    private var received: Set<EventID> = []
    private var exempt: Set<EventID> = []
    private var attempts: [Attempt: Progress] = [:]
    /// The messages that the daemon received again.
    private var redelivered: Set<EventID> = []
    /// The attempts whose last visit was marked.
    private var marked: Set<Attempt> = []
    private var answerCounts: [SessionID: Int] = [:]

    /// Removes the received messages, which a new daemon does not know.
    mutating func daemonStarted() {
        received = []
    }

    mutating func exempt(_ event: EventID) {
        exempt.insert(event)
    }

    /// Records that the daemon receives a message. Returns a finding if it is repeated without a mark.
    mutating func received(_ event: EventID, isMarked: Bool) -> Finding? {
        guard !received.insert(event).inserted else {
            return nil
        }
        guard !isMarked else {
            redelivered.insert(event)
            return nil
        }
        return Finding(
            "repetition", "the daemon receives \(event) twice without a mark", event: event)
    }

    /// Removes the attempts of a node that was attached again, because its earlier work is unknown.
    mutating func attached(_ node: NodePath, of session: SessionID) {
        attempts = attempts.filter { $0.key.session != session || $0.key.node != node }
        marked = marked.filter { $0.session != session || $0.node != node }
    }

    /// Records that a responder or subscription begins. Returns a finding if the visit is a repetition.
    mutating func begun(_ attempt: Attempt, isMarked: Bool) -> Finding? {
        let before = attempts.updateValue(.running, forKey: attempt)
        let wasMarked = marked.contains(attempt)
        if isMarked {
            marked.insert(attempt)
        } else {
            marked.remove(attempt)
        }
        guard let before, !exempt.contains(attempt.event) else {
            return nil
        }
        if !isMarked {
            guard !wasMarked || !redelivered.contains(attempt.event) else {
                return nil
            }
            return Finding(
                "repetition", "\(attempt.node) works on \(attempt.event) again without a mark",
                event: attempt.event, session: attempt.session)
        }
        guard before != .open, answerCounts[attempt.session] ?? 0 < Self.answersMax else {
            return nil
        }
        return Finding(
            "repetition",
            "\(attempt.node) works again on \(attempt.event), which it has answered",
            event: attempt.event, session: attempt.session)
    }

    /// Records that the attempt is cancelled. The visit may run again.
    mutating func cancelled(_ attempt: Attempt) {
        if attempts[attempt] != nil {
            attempts[attempt] = .open
        }
    }

    mutating func ended(_ attempt: Attempt, isAnswer: Bool) {
        guard attempts[attempt] != nil else {
            return
        }
        attempts[attempt] = isAnswer ? .answered : .open
        answerCounts[attempt.session, default: 0] += 1
    }
}
