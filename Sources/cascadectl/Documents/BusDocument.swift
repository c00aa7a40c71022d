// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The status of the bus.
struct BusDocument: Document {
    let answer: BusAnswer
    let now: Timestamp

    var json: JSONValue {
        .document(
            "status",
            [
                "bus": .string(answer.bus),
                "release": .string(answer.release),
                "pid": .integer(answer.processID),
                "since": .text(since),
                "counters": .numbers(answer.counters),
                "limits": .numbers(answer.limits),
                "uses": .numbers(answer.uses),
            ])
    }

    private var since: Timestamp {
        answer.since ?? now.earlier(byMicroseconds: answer.ageMicroseconds)
    }

    func text(_ style: Style) -> String {
        var card = Card(title: answer.bus)
        card.add("release", answer.release)
        card.add("process", String(answer.processID))
        card.add("since", since.description)
        card.add("age", Age.text(microseconds: answer.ageMicroseconds))
        card.add("counters", answer.counters)
        card.add("limits", answer.limits.map { limit in limit.text(of: answer.uses) })
        return card.text(style)
    }
}

extension NamedNumber {
    /// Returns a limit, with its current use if known.
    fileprivate func text(of uses: [NamedNumber]) -> String {
        let use = uses.first { $0.name == name }.map { "\($0.value) of " } ?? ""
        return "\(name) \(use)\(value)"
    }
}

extension JSONValue {
    /// Returns an object of named numbers.
    static func numbers(_ numbers: [NamedNumber]) -> JSONValue {
        .object(numbers.map { Member(key: $0.name, value: .integer($0.value)) })
    }
}
