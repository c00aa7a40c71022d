// SPDX-License-Identifier: Apache-2.0

import Cascade

extension PreferenceOffer {
    /// Parses `KEY=JSON:REDUCER`. Throws ``Stop`` if it is invalid.
    init(argument: String) throws {
        let form = "KEY=JSON:REDUCER"
        guard let colon = argument.lastIndex(of: ":") else {
            throw Stop(.usage, "'\(argument)' is not a preference of the form \(form)")
        }
        let word = String(argument[argument.index(after: colon)...])
        guard let reducer = PreferenceReducer(name: word) else {
            throw Stop(.usage, PreferenceReducer.complaint(about: word))
        }
        let parsed = try KeyAndValue(argument[..<colon], form: form)
        self.init(parsed.key, parsed.json, reducer)
    }
}

extension PreferenceReducer {
    init?(name: String) {
        guard let reducer = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = reducer
    }

    /// Returns the error for an unknown reducer.
    static func complaint(about word: String) -> String {
        let all = allCases.map(\.name).joined(separator: ", ")
        return "unknown reducer '\(word)'; the reducers are \(all)"
    }
}
