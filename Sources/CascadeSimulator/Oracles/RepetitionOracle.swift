// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Nothing comes twice without saying so: neither an event to a daemon, nor a visit to a responder.
/// What says so is not worked on again by a session that has answered it.
///
/// What has waited for a responder, or was raised again by hand, may come to a responder again,
/// unmarked.
///
/// A session that the daemon had forgotten raises anew what is under way. What was handed out
/// before that says nothing, and may by way of a slow neighbour come behind what does.
struct RepetitionOracle {
    /// One event at one responder of one session.
    struct Place: Hashable {
        var session: SessionID
        var node: NodePath
        /// The responder's place; `nil` for the node's subscription.
        var responder: Int?
        var event: EventID
        /// What it was then: an error may take the place of an event, or of another error.
        var lane: Lane
        var name: EventName
    }

    private enum Progress {
        case running
        case answered
        /// It passed or was cancelled: it may run again.
        case open
    }

    /// So many answers a session is sure to know.
    private static let answersMax = 900

    private var heard: Set<EventID> = []
    private var exempt: Set<EventID> = []
    private var places: [Place: Progress] = [:]
    /// What the daemon heard of once more.
    private var heardAgain: Set<EventID> = []
    /// Where it came last with the mark.
    private var marked: Set<Place> = []
    private var answerCounts: [SessionID: Int] = [:]

    /// It knows nothing of what was raised before.
    mutating func daemonStarted() {
        heard = []
    }

    mutating func exempt(_ event: EventID) {
        exempt.insert(event)
    }

    /// The daemon hears of something that was raised.
    mutating func heard(_ event: EventID, isMarked: Bool) -> Finding? {
        guard !heard.insert(event).inserted else {
            return nil
        }
        guard !isMarked else {
            heardAgain.insert(event)
            return nil
        }
        return Finding("repetition", "\(event) comes twice, and does not say so", event: event)
    }

    /// The node stands anew: nobody knows what it has done before.
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
                "repetition", "\(place.node) works on \(place.event) again, and nothing says so",
                event: place.event, session: place.session)
        }
        guard before != .open, answerCounts[place.session] ?? 0 < Self.answersMax else {
            return nil
        }
        return Finding(
            "repetition", "\(place.node) works again on \(place.event), which it has answered",
            event: place.event, session: place.session)
    }

    /// Nobody waits for its answer: another one may be asked for meanwhile.
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
