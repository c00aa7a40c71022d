// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The values and preferences that a line sets in one transaction.
struct InputValues {
    private var settings: [EnvironmentSetting] = []
    /// The offers; `nil` withdraws one.
    private var offers: [(key: EventName, json: String?)] = []
    /// The reducer in the line, required for preferences that the node has not offered before.
    private var reducer: PreferenceReducer?
    /// The line's own reference, returned with the result.
    let ref: JSONValue?

    /// Parses a line that sets values or offers preferences; returns `nil` for any other line.
    init?(_ line: JSONValue) throws {
        let members = ["env", "unset", "prefer", "withdraw"]
        guard members.contains(where: { line[$0] != nil }) else {
            return nil
        }
        ref = line["ref"]
        let isForItself = try InputLine.flag("self", line)
        let isSticky = try InputLine.flag("sticky", line)
        settings = try Self.values("env", line).map {
            EnvironmentSetting(
                $0.key, $0.json, isForItself: isForItself, isSticky: isSticky)
        }
        settings += try Self.keys("unset", line).map { EnvironmentSetting($0, nil) }
        offers = try Self.values("prefer", line)
        offers += try Self.keys("withdraw", line).map { ($0, nil) }
        if let word = try InputLine.text("reducer", line) {
            guard let reducer = PreferenceReducer(name: word) else {
                throw InputLine.Problem(PreferenceReducer.unknownReducer(word), line)
            }
            self.reducer = reducer
        }
    }

    /// Returns the assignments for the bus.
    ///
    /// - Parameter known: The reducers of the preferences that the node has offered. Those of this
    ///   line are added.
    func assignments(
        _ known: inout [EventName: PreferenceReducer]
    ) throws(InputLine.Problem) -> Assignments {
        var assignments = Assignments(settings: settings)
        for offer in offers {
            guard let reducer = reducer ?? known[offer.key] else {
                throw InputLine.Problem(
                    message: offer.json == nil
                        ? "the node offers no preference '\(offer.key)'"
                        : "the preference '\(offer.key)' needs a \"reducer\"",
                    ref: ref)
            }
            known[offer.key] = reducer
            assignments.offers.append(PreferenceOffer(offer.key, offer.json, reducer))
        }
        return assignments
    }

    // MARK: - Members

    private static func values(
        _ member: String, _ line: JSONValue
    ) throws -> [(key: EventName, json: String?)] {
        guard let object = line[member] else {
            return []
        }
        guard case .object(let members) = object else {
            throw InputLine.Problem("'\(member)' is not an object", line)
        }
        return try members.map { (try EventName($0.key), $0.value.text) }
    }

    private static func keys(_ member: String, _ line: JSONValue) throws -> [EventName] {
        guard let array = line[member] else {
            return []
        }
        guard case .array(let elements) = array else {
            throw InputLine.Problem("'\(member)' is not an array of keys", line)
        }
        return try elements.map { try InputLine.name($0, line) }
    }
}
