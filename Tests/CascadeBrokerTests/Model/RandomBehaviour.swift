// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// What the responders and subscribers of a random tree do: at random, but for the same visit
/// always the same, so that the model and the broker's peers agree.
struct RandomBehaviour {
    /// Names below this are declared somewhere; one more is raised, and never declared.
    static let declaredNames = 4

    let seed: UInt64

    func answer(_ visit: ReferenceModel.Visit, _ kind: ResponderKind) -> ReferenceModel.Answer {
        var dice = dice(visit.place, visit.responder, visit.name)
        let isFailing = dice.isLucky(10)
        switch kind {
        case .receive: return isFailing ? .failed : dice.isLucky(25) ? .handled : .passed
        case .handle: return isFailing ? .failed : .handled
        case .transform:
            return isFailing ? .failed : .replaced(dice.below(Self.declaredNames + 1))
        case .observe: return isFailing ? .failed : .passed
        case .respond, .catch, .receiveError, .handleError, .transformError: return .passed
        }
    }

    /// Whether a subscriber fails on a publication.
    func fails(_ place: ReferenceModel.Place, _ name: Int) -> Bool {
        var dice = dice(place, 1000, name)
        return dice.isLucky(20)
    }

    private func dice(
        _ place: ReferenceModel.Place, _ responder: Int, _ name: Int
    ) -> SeededGenerator {
        let numbers = place + [responder, name]
        return SeededGenerator(
            seed: numbers.reduce(seed) { ($0 &* 31 &+ UInt64($1)) &* 0x9E37_79B9_7F4A_7C15 })
    }
}
