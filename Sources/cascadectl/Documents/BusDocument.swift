// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The bus's own card.
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
                "since": .text(now.earlier(byMicroseconds: answer.ageMicroseconds)),
                "counters": .numbers(answer.counters),
                "limits": .numbers(answer.limits),
            ])
    }

    func text(_ style: Style) -> String {
        var card = Card(title: answer.bus)
        card.add("release", answer.release)
        card.add("process", String(answer.processID))
        card.add("since", now.earlier(byMicroseconds: answer.ageMicroseconds).description)
        card.add("age", Age.text(microseconds: answer.ageMicroseconds))
        card.add("counters", answer.counters)
        card.add("limits", answer.limits)
        return card.text(style)
    }
}

extension JSONValue {
    /// An object of numbers with names.
    static func numbers(_ numbers: [NamedNumber]) -> JSONValue {
        .object(numbers.map { Member(key: $0.name, value: .integer($0.value)) })
    }
}
