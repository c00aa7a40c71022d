// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The names to which nodes above a site respond, in each lane.
struct NamesAbove: Equatable, Sendable {
    /// For each name, a number that grows whenever a responder to it comes: then messages that are held at
    /// home are tried again. The name `nil` stands for every name.
    private var turns: [Lane: [EventName?: Int]] = [:]

    /// Reads the names from a summary of the parent's bus. Throws `JSONError` if it is not one.
    init(summary document: String) throws(JSONError) {
        let summary = try JSONValue(parsing: document)
        for responder in summary["above"]?.elements ?? [] {
            guard let lane = responder["lane"]?.string.flatMap(Lane.init(named:)),
                let text = responder["name"]?.string
            else {
                continue
            }
            let name = text == "*" ? nil : try? EventName(text)
            turns[lane, default: [:]][name] = responder["turn"]?.integer(Int.self) ?? 0
        }
        if summary["more"] != nil {
            standForEveryName()
        }
    }

    private init() {
        standForEveryName()
    }

    /// Every name, in every lane.
    static let every = NamesAbove()

    private mutating func standForEveryName() {
        for lane in Lane.allCases {
            turns[lane, default: [:]][nil] = 0
        }
    }

    /// The kinds of responders at `/` that stand for the responders above, in their order there, and the
    /// lanes of each. A node asks no responder twice about a message, so an error of an event does not
    /// meet a responder to errors.
    private static let kinds: [(kind: ResponderKind, lanes: [Lane])] = [
        (.receiveError, [.error]), (.respond, [.request]), (.receive, [.event, .cascade]),
    ]

    /// Returns the responders that stand for those above at the root of the site's bus.
    ///
    /// A kind has either names or `*`, so that at most one of these responders matches a message.
    ///
    /// - Parameters:
    ///   - countMax: The largest number of responders; a kind with too many names has `*` in their place.
    ///   - isCarried: Whether messages of a name are let up.
    func responders(
        countMax: Int, isCarried: (EventName) -> Bool
    ) -> [ResponderDeclaration] {
        var lists = Self.kinds.map { kind, lanes in
            (kind: kind, names: names(lanes, isCarried))
        }
        while lists.reduce(0, { $0 + $1.names.count }) > countMax,
            let longest = lists.indices.max(by: { lists[$0].names.count < lists[$1].names.count })
        {
            lists[longest].names = [nil]
        }
        return lists.flatMap { kind, names in
            names.map { ResponderDeclaration(kind, $0) }
        }
    }

    /// The names in some lanes, sorted; `nil` alone for every name.
    private func names(_ lanes: [Lane], _ isCarried: (EventName) -> Bool) -> [EventName?] {
        let all = lanes.reduce(into: Set<EventName?>()) { names, lane in
            names.formUnion((turns[lane] ?? [:]).keys)
        }
        guard !all.contains(nil) else {
            return [nil]
        }
        return all.compactMap(\.self).filter { $0 != .inspection && isCarried($0) }
            .sorted { $0.description < $1.description }
    }
}
