// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeTestSupport
import CascadeWire

/// One event or publication, in the broker and in the model. Returns how they differ.
extension ModelWorld {
    mutating func compareSomething() throws -> String? {
        guard let (place, session) = heldPlace() else {
            return nil
        }
        let name = generator.below(RandomBehaviour.declaredNames + 1)
        return generator.isLucky(50)
            ? try compareEvent(name, at: place, by: session)
            : try comparePublication(name, at: place, by: session)
    }

    private mutating func compareEvent(
        _ name: Int, at held: Place, by session: Int
    ) throws -> String? {
        let isOutside = generator.isLucky(25)
        let place = isOutside ? Array(held.prefix(generator.below(held.count + 1))) : held
        let isIncludingSelf = generator.isLucky(30)
        let wantsTrail = generator.isLucky(25)
        var flags: HeaderFlags = isIncludingSelf ? .includingSelf : []
        if wantsTrail {
            flags.insert(.wantsTrail)
        }
        let actual = try raise(
            Header(.trigger, flags: flags), name: name, at: place, by: session,
            isOutside: isOutside)

        var visits: [ReferenceModel.Visit] = []
        let start = isOutside || isIncludingSelf ? place : place.dropLast()
        let expected = model.ascend(name, from: start, visits: &visits) { [behaviour] in
            behaviour.answer($0, $1)
        }
        let what = "event \(name) from \(place), flags \(flags.rawValue)"
        let outcome = actual.ended.map(outcome)
        guard actual.surprises.isEmpty, actual.visits == visits, outcome == expected else {
            return "\(what): expected \(visits) \(expected), "
                + "got \(actual.visits) \(String(describing: outcome)) \(actual.surprises)"
        }
        if wantsTrail, actual.ended.map(Self.visits) != visits {
            return "\(what): the trail is \(actual.ended?.trail ?? []), the visits were \(visits)"
        }
        return nil
    }

    private func outcome(_ ended: Ended) -> ReferenceModel.Outcome {
        switch ended.code {
        case .handled:
            let place = numbers.first { $0.value == ended.node }?.key
            return .handled(place ?? [-1], responder: Int(ended.responder))
        case .failed: return .failed(ended.failure?.node.map(Self.place) ?? [-1])
        default: return .unhandled
        }
    }

    private static func visits(_ ended: Ended) -> [ReferenceModel.Visit] {
        ended.trail.map { visit in
            ReferenceModel.Visit(
                place: place(visit.path), responder: visit.responder, name: number(visit.name))
        }
    }

    private mutating func comparePublication(
        _ name: Int, at held: Place, by session: Int
    ) throws -> String? {
        let isOutside = generator.isLucky(60)
        let place = isOutside ? Array(held.prefix(generator.below(held.count + 1))) : held
        let destination = generator.pick(PublishingDestination.allCases)
        let actual = try raise(
            Header(.publish, code: destination.rawValue), name: name, at: place, by: session,
            isOutside: isOutside)

        let recipients = model.recipients(of: name, from: place, to: destination)
        let delivered = recipients.filter { !behaviour.fails($0, name) }
        let failed = recipients.first { behaviour.fails($0, name) }
        let code: OutcomeCode =
            recipients.isEmpty ? .noSubscriber : delivered.isEmpty ? .failed : .delivered
        guard actual.surprises.isEmpty, actual.recipients == recipients,
            let ended = actual.ended, ended.code == code,
            ended.recipients.map(Self.place) == delivered,
            ended.failure?.node.map(Self.place) == failed
        else {
            return "publication \(name) at \(place) to \(destination): expected \(recipients), "
                + "\(code) to \(delivered), got \(actual.recipients), "
                + "\(String(describing: actual.ended)) \(actual.surprises)"
        }
        return nil
    }
}
