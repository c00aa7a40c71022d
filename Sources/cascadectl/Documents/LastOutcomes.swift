// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The last outcomes of messages that a node raised or handled, as far as the bus remembers.
struct LastOutcomes: Sendable {
    /// The monitor events, latest first.
    let happenings: [JSONValue]
    /// The latest event that ended in an error or had one that was caught.
    let failed: JSONValue?

    private static let countMax = 5
    private static let endings: Set = ["ended", "delivered"]

    static let none = LastOutcomes(happenings: [], failed: nil)

    private init(happenings: [JSONValue], failed: JSONValue?) {
        self.happenings = happenings
        self.failed = failed
    }

    /// - Parameter answer: The bus's monitor events, oldest first.
    init(answer: JSONValue) {
        let ended = (answer["happenings"]?.elements ?? []).reversed()
            .filter { Self.endings.contains($0["what"]?.string ?? "") }
            .map { JSONValue.object($0.without(["schema"])) }
        happenings = Array(ended.prefix(Self.countMax))
        failed = ended.first { $0["error"] != nil }
    }

    /// Returns the query for the events of a node.
    static func query(_ path: NodePath) -> Query.Subject {
        .monitor(
            MonitorFilter(
                path: path.description, kinds: [.event, .error, .publish],
                sinceMilliseconds: .max))
    }

    /// The members of the node's document; empty if nothing is known.
    var members: [JSONValue.Member] {
        JSONValue.memberList([
            "outcomes": happenings.isEmpty ? nil : .array(happenings),
            "lastError": failed,
        ])
    }

    func add(to card: inout Card) {
        for happening in happenings {
            card.add("outcome", Self.line(happening))
        }
        if let failed {
            let error = failed["error"]
            let words = [error?["name"], error?["message"]].compactMap { $0?.string }
            card.add("last error", words.joined(separator: ": ") + ", of " + Self.line(failed))
        }
    }

    private static func line(_ happening: JSONValue) -> String {
        let word = { (key: String) in happening[key]?.plainText ?? "" }
        let by = happening["by"].map { " by \($0.plainText)" } ?? ""
        return "\(word("name")) from \(word("path")), \(word("outcome"))\(by), \(word("when"))"
    }
}
