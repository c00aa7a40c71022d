// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// No message is repeated without a mark, neither an event to a daemon nor a visit to a responder,
/// and a session that has answered a marked message does not work on it again.
///
/// A message that waited for a responder, or was retried by hand, may visit a responder again
/// without a mark.
///
/// A session that the daemon had forgotten triggers its pending messages again. Visits sent before
/// that have no mark, and may arrive after the marked ones by way of a slow node.
struct RepetitionOracle {
    /// One event at one responder of one session.
    struct Place: Hashable {
        var session: SessionID
        var node: NodePath
        /// The responder's index; `nil` for the node's subscription.
        var responder: Int?
        var event: EventID
        /// The kind at that time: an error may replace an event or another error.
        var lane: Lane
        var name: EventName
    }

    private enum Progress {
        case running
        case answered
        /// The visit was passed or cancelled: it may run again.
        case open
    }

    /// The number of answers that a session certainly remembers.
    private static let answersMax = 900

    private var heard: Set<EventID> = []
    private var exempt: Set<EventID> = []
    private var places: [Place: Progress] = [:]
    /// Messages that the daemon received again.
    private var heardAgain: Set<EventID> = []
    /// Places whose last visit was marked.
    private var marked: Set<Place> = []
    private var answerCounts: [SessionID: Int] = [:]

    /// A new daemon knows no earlier messages.
    mutating func daemonStarted() {
        heard = []
    }

    mutating func exempt(_ event: EventID) {
        exempt.insert(event)
    }

    /// The daemon receives a message.
    mutating func heard(_ event: EventID, isMarked: Bool) -> Finding? {
        guard !heard.insert(event).inserted else {
            return nil
        }
        guard !isMarked else {
            heardAgain.insert(event)
            return nil
        }
        return Finding("repetition", "\(event) comes twice without a mark", event: event)
    }

    /// The node was attached again: its earlier work is unknown.
    mutating func attached(_ node: NodePath, of session: SessionID) {
        places = places.filter { $0.key.session != session || $0.key.node != node }
        marked = marked.filter { $0.session != session || $0.node != node }
    }

    /// A responder or subscription begins.
    mutating func begun(_ place: Place, isMarked: Bool) -> Finding? {
        let before = places.updateValue(.running, forKey: place)
        let wasMarked = marked.contains(place)
        if isMarked {
            marked.insert(place)
        } else {
            marked.remove(place)
        }
        guard let before, !exempt.contains(place.event) else {
            return nil
        }
        if !isMarked {
            guard !wasMarked || !heardAgain.contains(place.event) else {
                return nil
            }
            return Finding(
                "repetition", "\(place.node) works on \(place.event) again without a mark",
                event: place.event, session: place.session)
        }
        guard before != .open, answerCounts[place.session] ?? 0 < Self.answersMax else {
            return nil
        }
        return Finding(
            "repetition", "\(place.node) works again on \(place.event), which it has answered",
            event: place.event, session: place.session)
    }

    /// The answer is no longer needed; another one may be requested meanwhile.
    mutating func cancelled(_ place: Place) {
        if places[place] != nil {
            places[place] = .open
        }
    }

    mutating func ended(_ place: Place, isAnswer: Bool) {
        guard places[place] != nil else {
            return
        }
        places[place] = isAnswer ? .answered : .open
        answerCounts[place.session, default: 0] += 1
    }
}
