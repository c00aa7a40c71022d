// SPDX-License-Identifier: Apache-2.0

/// A token that is always written the same.
///
/// `<=` is one symbol with two meanings: a comparison in a predicate, and in a rule the arrow that
/// gives a key its value. Which it is follows from where it stands, so only a parser knows.
enum Symbol: String, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrArrow = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case match = "~"
    case open = "("
    case close = ")"
    case implies = "=>"
    case semicolon = ";"

    var relation: Relation? {
        Relation(rawValue: rawValue)
    }
}
