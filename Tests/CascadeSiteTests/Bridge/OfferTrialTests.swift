// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeSite

/// A trial against a parent's bus that refuses some of the keys.
@Suite struct OfferTrialTests {
    /// Answers what is tried until nothing is left to try. Returns how many declarations that took.
    private func settle(_ trial: inout OfferTrial, refusing bad: Set<EventName>) -> Int {
        var count = 0
        while true {
            let tried = trial.nextTried()
            guard !tried.isEmpty else {
                return count
            }
            count += 1
            if bad.isDisjoint(with: tried.map(\.key)) {
                trial.wereTaken()
            } else {
                let wasTried = trial.wereRefused("refused")
                #expect(wasTried)
            }
        }
    }

    private func offers(
        _ count: Int, _ reducer: PreferenceReducer = .sum
    ) throws -> [PreferenceOffer] {
        try (0..<count).map { PreferenceOffer(try EventName("key\($0)"), "\($0)", reducer) }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `exactly the keys that the bus refuses are left out`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let offers = try offers(Int.random(in: 1...40, using: &generator))
        let isRarelyBad = Bool.random(using: &generator)
        let bad = Set(
            offers.map(\.key).filter { _ in
                Int.random(in: 0..<(isRarelyBad ? 20 : 2), using: &generator) == 0
            })
        var trial = OfferTrial()
        trial.want(offers)
        let count = settle(&trial, refusing: bad)
        #expect(Set(trial.refused.map(\.key)) == bad)
        #expect(Set(trial.takenOffers.map(\.key)) == Set(offers.map(\.key)).subtracting(bad))
        // Without a refused key one declaration does, and each of them costs some halvings and doublings.
        #expect(count <= 1 + bad.count * 20)
    }

    @Test func `all keys are tried at once, and none again`() throws {
        var trial = OfferTrial()
        trial.want(try offers(1_000))
        #expect(settle(&trial, refusing: []) == 1)
        trial.want(try offers(1_000))
        let again = trial.nextTried()
        #expect(again.isEmpty)
        trial.reset()
        let afterwards = trial.nextTried()
        #expect(afterwards.count == 1_000)
    }

    @Test func `a refused key is tried again with another reducer only`() throws {
        var trial = OfferTrial()
        let bad: Set<EventName> = ["key1"]
        trial.want(try offers(2))
        _ = settle(&trial, refusing: bad)
        #expect(trial.refused.map(\.sentence) == ["refused"])
        trial.want(try offers(2))
        let again = trial.nextTried()
        #expect(again.isEmpty)
        trial.want(try offers(2, .max))
        #expect(trial.refused.isEmpty)
        _ = settle(&trial, refusing: [])
        #expect(try trial.takenOffers == offers(2, .max))
    }

    @Test func `a refusal of what was not tried is none of the trial's`() {
        var trial = OfferTrial()
        let wasTried = trial.wereRefused("for another reason")
        #expect(!wasTried)
    }
}
