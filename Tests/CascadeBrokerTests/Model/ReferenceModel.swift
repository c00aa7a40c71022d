// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The rules of the tree as they are documented: recursive, naive, and without any code of the
/// broker.
///
/// The model has neither sessions nor a clock: one message goes up, or one publication down, and
/// the behaviour of its responders is given from outside.
struct ReferenceModel {
    static let causesMax = 32

    /// The nodes held by a session. A place above one of them that is not among them is vacant.
    var nodes: [Place: Node] = [:]
    /// The nodes, the most recently activated last.
    var recency: [Place] = []

    // MARK: - Up

    /// The outcome of an event. `answer` is the behaviour of its responders.
    func trigger(
        _ event: Event, visits: inout [Visit], answer: (Visit) -> Answer
    ) -> Outcome {
        guard event.causes <= Self.causesMax else {
            return Outcome(.looped, errors: [Trouble(name: .looped, place: event.origin)])
        }
        var event = event
        if event.lane == .error {
            event.errors = [Trouble(name: event.message.name, place: event.origin)]
        }
        let start = event.startsAtOrigin ? event.origin : event.origin / 2
        return ascend(event, from: start, 0, visits: &visits, answer: answer)
    }

    private func ascend(
        _ event: Event, from place: Place, _ index: Int, visits: inout [Visit],
        answer: (Visit) -> Answer
    ) -> Outcome {
        let responders = nodes[place]?.responders ?? []
        guard index < responders.count else {
            return place <= 1
                ? end(event) : ascend(event, from: place / 2, 0, visits: &visits, answer: answer)
        }
        var (rest, above, next) = (self, event, index + 1)
        let kind = responders[index].kind
        var reply: PredicateValues?
        if responders[index].matches(event) {
            let errors = event.lane == .error ? event.errors : []
            visits.append(
                Visit(
                    place: place, responder: index, kind: kind, lane: event.lane,
                    message: event.message, errors: errors))
            switch answer(visits[visits.count - 1]) {
            case .neverAsked(let gone):
                visits.removeLast()
                rest.remove(gone)
            case .lost(let gone):
                rest.remove(gone)
                if !event.passesOnLoss, kind != .observe {
                    above.fail(Message(name: .nodeLost), at: place)
                }
            case .silent(let isBusy):
                if kind != .observe || event.isLate {
                    above.fail(Message(name: .timedOut), at: place, isTimeout: true)
                }
                guard !event.isLate else { return end(above) }
                above.isLate = true
                next = isBusy ? responders.count : next
            case .threw(let error) where kind != .observe:
                above.fail(error, at: place)
                // A payload without facts is empty.
                let facts = error.facts.subtracting(.attribute)
                reply = facts.isEmpty ? nil : facts
            case .threw where event.lane == .cascade: break
            case _ where event.lane == .cascade: above.ran += event.ran.last == place ? [] : [place]
            case _ where kind == .observe: break
            case .threw, .passed: break
            case .handled:
                return event.hasFailed
                    ? Outcome(.caught, by: place, index, errors: event.errors)
                    : Outcome(.handled, by: place, index)
            case .answered(let reply): return Outcome(.handled, by: place, index, reply: reply)
            case .replaced(let new): above.replace(by: new, as: kind)
            }
        }
        if event.lane == .request, above.hasFailed {
            // The requester receives the error with its payload.
            var outcome = end(above)
            outcome.reply = reply
            return outcome
        }
        return rest.ascend(above, from: place, next, visits: &visits, answer: answer)
    }

    /// No responder is left.
    private func end(_ event: Event) -> Outcome {
        switch event.lane {
        case .event, .request: Outcome(.unhandled)
        case .cascade: Outcome(.cascaded, ran: event.ran)
        case .error:
            Outcome(event.hasTimedOut ? .timedOut : .failed, errors: event.errors)
        }
    }

    // MARK: - Down

    /// The recipients of a publication, in the order of their activation.
    func recipients(
        of name: Name, from publisher: Place, to destination: PublishingDestination
    ) -> [Place] {
        guard isActive(publisher / 2) else {
            return []
        }
        let levels = descend(name, publisher, level: 0)
        let deepest = levels.values.max()
        let chosen = recency.filter { place in
            switch destination {
            case .all: levels[place] != nil
            case .firstLevel: levels[place] == 0
            case .lastLevel, .last: levels[place] != nil && levels[place] == deepest
            }
        }
        return destination == .last ? chosen.suffix(1) : chosen
    }

    private func isActive(_ place: Place) -> Bool {
        place == 0 || (nodes[place]?.isActive != false && isActive(place / 2))
    }

    /// The active subscribers at and below a place, with their levels.
    private func descend(_ name: Name, _ place: Place, level: Int) -> [Place: Int] {
        guard place < Self.placesMax, nodes[place]?.isActive != false else {
            return [:]
        }
        let isSubscriber = nodes[place]?.subscriptions.contains(name) == true
        let deeper = isSubscriber ? level + 1 : level
        var found = isSubscriber ? [place: level] : [:]
        for child in [2 * place, 2 * place + 1] {
            found.merge(descend(name, child, level: deeper)) { first, _ in first }
        }
        return found
    }
}
