// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Predicates of responders, each with its meaning in Swift.
enum Condition: String, CaseIterable {
    case numberIsOne = "a == 1"
    case numberIsNotOne = "!(a == 1)"
    case attributeIsOne = #"a == "1""#
    case nameIsSecond = #"name == "Name2""#
    case textUnderOtherName = #"b == "x" && name != "Name1""#
    case originIsBelow = #"origin ~ "/p0/*" || b == "x""#

    func holds(
        for message: ReferenceModel.Message, from origin: ReferenceModel.Place
    ) -> Bool {
        // An attribute overrides a member of the same name, and is a text and not a number.
        let isOne = message.facts.contains(.number) && !message.facts.contains(.attribute)
        let hasText = message.facts.contains(.text)
        switch self {
        case .numberIsOne: return isOne
        case .numberIsNotOne: return !isOne
        case .attributeIsOne: return message.facts.contains(.attribute)
        case .nameIsSecond: return message.name.number == 2
        case .textUnderOtherName: return hasText && message.name.number != 1
        case .originIsBelow:
            return Vocabulary.path(origin).description.hasPrefix("/p0/") || hasText
        }
    }
}
