// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire

/// Raises one event or publication in the broker and in the model. Returns how they differ.
extension ModelWorld {
    mutating func compareSomething() -> String? {
        // The deeper of two nodes, which has more ancestors.
        let two = [heldPlace(), heldPlace()].compactMap { $0 }
        guard let (held, session) = two.max(by: { $0.place < $1.place }) else {
            return nil
        }
        return generator.isLucky(75)
            ? compareEvent(at: held, by: session) : comparePublication(at: held, by: session)
    }

    /// A message from outside may have any path above a node as its origin.
    private mutating func origin(_ held: Place, isOutside: Bool) -> Place {
        var place = held
        while isOutside, place > 1, generator.isLucky(40) {
            place /= 2
        }
        return place
    }

    /// Now and then as many causes as the limit, or one too many.
    private mutating func causes() -> Int {
        generator.isLucky(4) ? Model.causesMax + generator.below(2) : 0
    }

    // MARK: - Up

    private mutating func compareEvent(at held: Place, by session: Int) -> String? {
        let isOutside = generator.isLucky(25)
        let origin = origin(held, isOutside: isOutside)
        let isIncludingSelf = generator.isLucky(50)
        let lane = generator.pick([Lane.event, .event, .event, .error, .request, .cascade])
        let event = Model.Event(
            lane: lane, message: RandomBehaviour.message(&generator), origin: origin,
            startsAtOrigin: isOutside || isIncludingSelf, passesOnLoss: generator.isLucky(30),
            causes: causes())
        var flags: HeaderFlags = isIncludingSelf ? .includingSelf : []
        if event.passesOnLoss {
            flags.insert(.passOnLoss)
        }
        if generator.isLucky(25) {
            flags.insert(.wantsTrail)
        }
        let code = LaneCode(lane, causes: UInt16(event.causes)).rawValue
        let actual = raise(
            Header(.trigger, flags: flags, time: 1, code: code), event.message, at: origin,
            by: session, isOutside: isOutside)

        var visits: [Model.Visit] = []
        let expected = model.trigger(event, visits: &visits) { [behaviour] visit in
            let mishap = actual.mishaps.first { $0.visit == visit }
            return mishap?.answer ?? behaviour.answer(visit)
        }
        let outcome = actual.ended.map { told($0, actual.reply) }
        defer {
            forgetLost(actual)
        }
        guard actual.surprises.isEmpty, actual.visits == visits, outcome == expected else {
            return "\(event), flags \(flags.rawValue), \(actual.mishaps):\n expected \(visits) "
                + "\(expected),\n got \(actual.visits) \(String(describing: outcome)) "
                + "\(actual.surprises)"
        }
        return disorder(actual)
            ?? (flags.contains(.wantsTrail) ? difference(actual, actual.ended?.trail ?? []) : nil)
    }

    private func told(_ ended: OutcomeMessage, _ reply: Model.PredicateValues?) -> Model.Outcome {
        Model.Outcome(
            ended.code, by: places[ended.node] ?? 0, Int(ended.responder), reply: reply,
            errors: Vocabulary.errors(ended.failure),
            ran: ended.recipients.map { Vocabulary.place($0) })
    }

    private mutating func forgetLost(_ actual: Result) {
        for (_, answer) in actual.mishaps {
            switch answer {
            case .lost(let places), .neverAsked(let places):
                for place in places {
                    forget(place)
                }
                connect()
            default: break
            }
        }
    }

    /// The invariants of any route, independent of the model: nearest first, each responder once,
    /// and no error below the node where it began.
    private func disorder(_ actual: Result) -> String? {
        for (index, visit) in actual.visits.enumerated() {
            if let error = visit.errors.first, !Self.isAtOrAbove(visit.place, error.place) {
                return "an error of \(error.place) comes down to \(visit.place)"
            }
            guard index > 0 else {
                continue
            }
            let before = actual.visits[index - 1]
            let isOrdered =
                visit.place == before.place
                ? visit.responder > before.responder : Self.isAtOrAbove(visit.place, before.place)
            if !isOrdered {
                return "\(visit) comes after \(before)"
            }
        }
        return nil
    }

    private static func isAtOrAbove(_ place: Place, _ other: Place) -> Bool {
        place == other || (other > 1 && isAtOrAbove(place, other / 2))
    }

    /// A visit without an answer is in the trail as failed.
    private func difference(_ actual: Result, _ trail: [VisitRecord]) -> String? {
        let isSame =
            actual.visits.count == trail.count
            && zip(actual.visits.indices, trail).allSatisfy { index, record in
                let visit = actual.visits[index]
                return Vocabulary.place(record.path) == visit.place
                    && record.responder == visit.responder && record.kind == visit.kind
                    && Vocabulary.name(record.name) == visit.message.name
                    && record.verdict == actual.verdicts[index] ?? .failed
            }
        return isSame ? nil : "the trail is \(trail), the visits were \(actual.visits)"
    }

    // MARK: - Down

    private mutating func comparePublication(at held: Place, by session: Int) -> String? {
        let isOutside = generator.isLucky(60)
        let place = origin(held, isOutside: isOutside)
        let message = RandomBehaviour.message(&generator)
        let destination = generator.pick(PublishingDestination.allCases)
        let causes = causes()
        let code = destination.rawValue | UInt32(causes) << 8
        let actual = raise(
            Header(.publish, code: code), message, at: place, by: session, isOutside: isOutside)

        let isLooped = causes > Model.causesMax
        let recipients =
            isLooped ? [] : model.recipients(of: message.name, from: place, to: destination)
        let delivered = recipients.filter { !behaviour.fails($0, message.name) }
        let failed = recipients.first { behaviour.fails($0, message.name) } ?? 0
        let outcome: OutcomeCode =
            isLooped
            ? .looped
            : recipients.isEmpty ? .noSubscriber : delivered.isEmpty ? .failed : .delivered
        guard actual.surprises.isEmpty, actual.recipients == recipients,
            let ended = actual.ended, ended.code == outcome,
            ended.recipients.map({ Vocabulary.place($0) }) == delivered,
            Vocabulary.errors(ended.failure).first?.place ?? 0 == (isLooped ? place : failed)
        else {
            return "publication \(message) at \(place) to \(destination): expected \(recipients), "
                + "\(outcome) to \(delivered), got \(actual.recipients), "
                + "\(String(describing: actual.ended)) \(actual.surprises)"
        }
        return nil
    }
}
