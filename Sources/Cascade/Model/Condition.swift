// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// The condition under which a responder is asked, in the bus's predicate language. The bus
/// evaluates it before it visits the node.
///
///     .handle(OrderPlaced.self, when: #"amount > 100 && origin ~ "/shop/*""#) { … }
///     .handle(OrderPlaced.self, when: EventMember("amount") > 100) { … }
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The condition in the predicate language.
    public let description: String

    /// Creates a condition from text. The bus refuses a node whose condition is not valid.
    public init(_ text: String) {
        description = text
    }

    /// The condition that both conditions hold.
    public static func && (left: Condition, right: Condition) -> Condition {
        Condition("(\(left)) && (\(right))")
    }

    /// The condition that one of the conditions holds, or both.
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition("(\(left)) || (\(right))")
    }

    /// The condition that a condition does not hold.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition("!(\(condition))")
    }
}

extension Condition: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

/// The part of a message that a ``Condition`` tests: a member of the payload, an attribute, the
/// name or the origin.
public struct EventMember: Sendable {
    private let name: String

    /// Selects the attribute of that name or, if there is none, the top-level member of a JSON
    /// payload.
    public init(_ name: String) {
        self.name = name
    }

    /// The name of the event.
    public static let name = EventMember("name")
    /// The path of the event's origin.
    public static let origin = EventMember("origin")

    /// A constant that a member is compared with.
    public struct Constant: Sendable {
        fileprivate let text: String
    }

    /// The condition that a member equals a constant.
    public static func == (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) == \(right.text)")
    }

    /// The condition that a member differs from a constant.
    public static func != (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) != \(right.text)")
    }

    /// The condition that a member is less than a constant.
    public static func < (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) < \(right.text)")
    }

    /// The condition that a member is at most a constant.
    public static func <= (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) <= \(right.text)")
    }

    /// The condition that a member is greater than a constant.
    public static func > (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) > \(right.text)")
    }

    /// The condition that a member is at least a constant.
    public static func >= (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) >= \(right.text)")
    }

    /// The condition that the member exists and is true.
    public var isTrue: Condition {
        Condition(name)
    }

    /// Returns the condition that the member's text matches a pattern, in which `*` stands for any
    /// text and `?` for any character.
    public func matches(_ pattern: Constant) -> Condition {
        Condition("\(name) ~ \(pattern.text)")
    }
}

extension EventMember.Constant {
    /// Creates a constant for a string.
    public init(_ text: String) {
        self.text = JSONValue.string(text).text
    }

    /// Creates a constant for a whole number.
    public init(_ number: Int) {
        text = String(number)
    }

    /// Creates a constant for a number.
    public init(_ number: Double) {
        text = String(number)
    }
}

extension EventMember.Constant: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    public init(stringLiteral text: String) {
        self.init(text)
    }

    public init(integerLiteral number: Int) {
        self.init(number)
    }

    public init(floatLiteral number: Double) {
        self.init(number)
    }

    public init(booleanLiteral value: Bool) {
        text = value ? "true" : "false"
    }
}
