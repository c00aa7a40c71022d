// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// The random behaviour of the responders and subscribers of a tree. It is the same for the same
/// visit, so that the model and the broker's peers agree.
struct RandomBehaviour {
    let seed: UInt64

    func answer(_ visit: ReferenceModel.Visit) -> ReferenceModel.Answer {
        let name = visit.message.name.number
        var dice = dice(visit.place, visit.responder, name * 8 + Int(visit.lane.rawValue))
        guard !dice.isLucky(15) else {
            var error = Self.message(&dice)
            if dice.isLucky(25) {
                error.name = dice.pick([.responderFailed, .timedOut])
            }
            return .threw(error)
        }
        switch visit.kind {
        case .receive, .receiveError: return dice.isLucky(25) ? .handled : .passed
        case .handle, .handleError: return .handled
        case .transform, .transformError, .catch: return .replaced(Self.message(&dice))
        case .observe: return dice.isLucky(5) ? .handled : .passed
        case .respond:
            let reply = Self.message(&dice).facts.subtracting(.attribute)
            return dice.isLucky(30) ? .answered(reply) : .passed
        }
    }

    static func message(_ generator: inout SeededGenerator) -> ReferenceModel.Message {
        ReferenceModel.Message(
            name: .init(number: generator.below(ReferenceModel.Name.declaredCount + 1)),
            facts: .init(rawValue: generator.below(8)))
    }

    /// Whether a subscriber fails on a publication.
    func fails(_ place: ReferenceModel.Place, _ name: ReferenceModel.Name) -> Bool {
        var dice = dice(place, 1000, name.number)
        return dice.isLucky(20)
    }

    private func dice(_ place: Int, _ responder: Int, _ what: Int) -> SeededGenerator {
        let number = UInt64((place * 4096 + responder) * 256 + what)
        return SeededGenerator(seed: (seed &* 31 &+ number) &* 0x9E37_79B9_7F4A_7C15)
    }
}
