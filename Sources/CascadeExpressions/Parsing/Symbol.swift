// SPDX-License-Identifier: Apache-2.0

/// A token with a fixed spelling.
///
/// `<=` has two meanings: a comparison in a predicate, and the assignment arrow in a rule. The
/// parser decides by position.
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
