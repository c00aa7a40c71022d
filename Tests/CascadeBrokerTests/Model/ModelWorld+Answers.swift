// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire

/// The answers of sessions to visits and deliveries.
extension ModelWorld {
    // MARK: - Visits

    mutating func visited(
        _ header: Header, _ content: Content, _ peer: PeerID, _ itinerary: Itinerary?
    ) {
        let stops = itinerary?.stops ?? [.init(node: header.node, responder: header.index)]
        guard var visit = visit(header, content), place(visit.responder, at: stops[0], in: &visit)
        else {
            result.surprises.append("a visit to no known node, or of no name")
            return
        }
        guard header.session != busSession else {
            let isHandled = visit.kind == .receiveError || visit.kind == .handleError
            let error = Model.Message(name: .responderFailed)
            answer(header, stop: 0, isHandled ? .handled : .threw(error), peer)
            return
        }
        if generator.isLucky(6), suffer(visit, header, peer, isAlone: stops.count == 1) {
            return
        }
        for (index, stop) in stops.enumerated() {
            guard place(visit.responder, at: stop, in: &visit) else {
                result.surprises.append("a visit continues at no known node")
                return
            }
            let given = behaviour.answer(visit)
            note(visit, given.verdict)
            if given != .passed || index == stops.count - 1 {
                answer(header, stop: index, given, peer)
                return
            }
        }
    }

    private mutating func note(_ visit: Model.Visit, _ verdict: VerdictCode?) {
        result.visits.append(visit)
        result.verdicts.append(verdict)
    }

    /// The content of a visit, without its node.
    private func visit(_ header: Header, _ content: Content) -> Model.Visit? {
        guard let lane = LaneCode(rawValue: header.code)?.lane else {
            return nil
        }
        let fields = FieldReader(content.fields)
        let failure = lane == .error ? try? Failure(fields: fields) : nil
        var name = names[header.name]
        if header.name == 0 {
            let text = failure?.name ?? (try? RaisedFields(fields: fields))?.name
            name = text.flatMap { Vocabulary.name($0) }
        }
        if name == nil, header.session == busSession {
            name = .responderFailed
        }
        guard let name else {
            return nil
        }
        return Model.Visit(
            place: 0, responder: 0, kind: .observe, lane: lane,
            message: Model.Message(name: name, facts: content.facts),
            errors: Vocabulary.errors(failure))
    }

    /// Fills in the node of a visit. Returns whether there is one.
    private func place(
        _ responder: Int, at stop: Itinerary.Stop, in visit: inout Model.Visit
    ) -> Bool {
        guard let place = places[stop.node], let responders = model.nodes[place]?.responders,
            Int(stop.responder) < responders.count
        else {
            return false
        }
        visit.place = place
        visit.responder = Int(stop.responder)
        visit.kind = responders[visit.responder].kind
        return true
    }

    // MARK: - Failures

    /// Leaves the visit without an answer. Returns whether that was possible.
    private mutating func suffer(
        _ visit: Model.Visit, _ header: Header, _ peer: PeerID, isAlone: Bool
    ) -> Bool {
        let isAccepted = generator.isLucky(50)
        let isLost = generator.isLucky(70)
        // The bus cannot know at which of several stops a session stops answering or is lost.
        let isKnown = isAlone || (isLost && (!isAccepted || visit.kind != .observe))
        guard isKnown, !isLost || peer != result.raiser else {
            return false
        }
        if isAccepted {
            accept(header, peer)
        }
        guard isLost else {
            note(visit, nil)
            result.mishaps.append((visit, .silent(isBusy: isAccepted)))
            let verdict = Verdict(delivery: header.id, node: header.node, code: .handled)
            result.late.append((peer, verdict.header))
            return true
        }
        guard let lost = sessions.firstIndex(where: { $0.peer == peer }) else {
            return false
        }
        let places = sessions.remove(at: lost).places
        if isAccepted {
            note(visit, nil)
        }
        result.mishaps.append((visit, isAccepted ? .lost(places) : .neverAsked(places)))
        inputs.append(.gone(peer))
        return true
    }

    // MARK: - Answers

    private mutating func accept(_ header: Header, _ peer: PeerID) {
        inputs.append(
            .received(
                peer,
                OwnedPayload(Header(.accept, node: header.node, id: header.id).encoded())))
    }

    private mutating func answer(
        _ visit: Header, stop: Int, _ answer: Model.Answer, _ peer: PeerID
    ) {
        if generator.isLucky(50) {
            accept(visit, peer)
        }
        var header = Verdict(
            delivery: visit.id, node: visit.node, code: answer.verdict ?? .passed,
            stop: UInt16(stop)
        ).header
        var raised = RaisedFields()
        var failure: Failure?
        var facts: Model.PredicateValues?
        switch answer {
        case .answered(let reply): facts = reply
        case .replaced(let new):
            facts = new.facts
            if let number = numbersOfNames[new.name], generator.isLucky(30) {
                header.name = number
            } else {
                raised.name = Vocabulary.name(new.name)
            }
        case .threw(let error):
            facts = error.facts
            if error.name != .responderFailed {
                failure = Failure(name: Vocabulary.name(error.name))
            }
        default: break
        }
        inputs.append(input(header, raised, failure: failure, facts: facts, from: peer))
    }

    // MARK: - Publications

    mutating func delivered(
        _ header: Header, _ content: Content, _ peer: PeerID, _ itinerary: Itinerary?
    ) {
        var name = names[header.name]
        if header.name == 0 {
            let raised = try? RaisedFields(fields: FieldReader(content.fields))
            name = raised?.name.flatMap { Vocabulary.name($0) }
        }
        let own = sessions.first { $0.peer == peer }?.places ?? []
        let subscribers = own.filter { place in
            name.map { model.nodes[place]?.subscriptions.contains($0) == true } ?? false
        }
        let addressed = itinerary?.stops.first.flatMap { places[$0.node] }
        guard let name, let place = addressed ?? (subscribers.count == 1 ? subscribers[0] : nil)
        else {
            result.surprises.append("a delivery to no known node, or of no name")
            return
        }
        result.recipients.append(place)
        var header = header
        header.node = numbers[place] ?? 0
        let error = Model.Message(name: .responderFailed)
        answer(header, stop: 0, behaviour.fails(place, name) ? .threw(error) : .handled, peer)
    }
}

extension ReferenceModel.Answer {
    /// The answer as a session sends it; `nil` if it does not answer.
    var verdict: VerdictCode? {
        switch self {
        case .passed: .passed
        case .handled: .handled
        case .answered: .answered
        case .replaced: .replaced
        case .threw: .failed
        case .silent, .lost, .neverAsked: nil
        }
    }
}
