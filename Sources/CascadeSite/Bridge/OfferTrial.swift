// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The preferences that a site wants to offer at its mount, and which of them the parent's bus takes.
///
/// A bus refuses a declaration as a whole, for example because another reducer is in force for one key. So
/// keys that were never taken are tried apart from the others: all at once, and, as long as they are refused,
/// half as many, down to each alone.
struct OfferTrial: Sendable {
    private struct Refusal {
        var reducer: PreferenceReducer
        var sentence: String
    }

    private var wanted: [EventName: PreferenceOffer] = [:]
    private var taken: [EventName: PreferenceReducer] = [:]
    private var refusals: [EventName: Refusal] = [:]
    /// The keys that are being tried.
    private var tried: [EventName] = []
    private var triedCountMax = Int.max

    /// The refused keys, sorted, each with the sentence of the parent's bus.
    var refused: [(key: EventName, sentence: String)] {
        refusals.map { ($0.key, $0.value.sentence) }
            .sorted { $0.key.description < $1.key.description }
    }

    /// Replaces what the site wants to offer. A key that was refused is tried again with another reducer
    /// only.
    mutating func want(_ offers: [PreferenceOffer]) {
        wanted = Dictionary(offers.map { ($0.key, $0) }) { $1 }
        refusals = refusals.filter { wanted[$0.key]?.reducer == $0.value.reducer }
        taken = taken.filter { wanted[$0.key]?.reducer == $0.value }
    }

    /// The offers that are known to be taken, by their keys.
    var takenOffers: [PreferenceOffer] {
        sorted(taken.keys)
    }

    /// Returns the offers to try next, beside those that are taken.
    mutating func nextTried() -> [PreferenceOffer] {
        let open = wanted.keys.filter { taken[$0] == nil && refusals[$0] == nil }
            .sorted { $0.description < $1.description }
        tried = Array(open.prefix(triedCountMax))
        return sorted(tried)
    }

    /// The bus has taken what was tried.
    mutating func wereTaken() {
        for key in tried {
            taken[key] = wanted[key]?.reducer
        }
        if !tried.isEmpty {
            triedCountMax = triedCountMax > Int.max / 2 ? .max : 2 * triedCountMax
        }
        tried = []
    }

    /// The bus has refused what was tried. Returns whether anything was.
    mutating func wereRefused(_ sentence: String) -> Bool {
        guard !tried.isEmpty else {
            return false
        }
        if tried.count == 1, let offer = wanted[tried[0]] {
            refusals[offer.key] = Refusal(reducer: offer.reducer, sentence: sentence)
        }
        triedCountMax = max(1, tried.count / 2)
        tried = []
        return true
    }

    /// Nothing is known of what the bus takes.
    mutating func reset() {
        taken = [:]
        refusals = [:]
        tried = []
        triedCountMax = .max
    }

    private func sorted(_ keys: some Sequence<EventName>) -> [PreferenceOffer] {
        keys.compactMap { wanted[$0] }.sorted { $0.key.description < $1.key.description }
    }
}

extension [PreferenceOffer] {
    /// Reads the preferences of a site from the answer of its bus. Throws `JSONError` if it is not one.
    init(preferences document: String) throws(JSONError) {
        let answer = try JSONValue(parsing: document)
        let reducers = answer["reducers"]
        self = (answer["preferences"]?.members ?? []).compactMap { member in
            let name = reducers?[member.key]?.string
            guard let key = try? EventName(member.key),
                let reducer = PreferenceReducer.allCases.first(where: { $0.name == name })
            else {
                return nil
            }
            return PreferenceOffer(key, member.value.text, reducer)
        }
    }
}
