// SPDX-License-Identifier: Apache-2.0

import CascadeJSON

/// What a ``Condition`` looks at: a member of the payload, an attribute, the name or the origin.
public struct EventMember: Sendable {
    private let name: String

    /// Selects the attribute of that name, else the top-level member of a JSON payload.
    public init(_ name: String) {
        self.name = name
    }

    /// The name of the event.
    public static let name = EventMember("name")
    /// The path of the node that raised the event.
    public static let origin = EventMember("origin")

    /// A constant that a member is compared with.
    public struct Constant: Sendable {
        fileprivate let text: String
    }

    public static func == (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) == \(right.text)")
    }

    public static func != (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) != \(right.text)")
    }

    public static func < (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) < \(right.text)")
    }

    public static func <= (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) <= \(right.text)")
    }

    public static func > (left: EventMember, right: Constant) -> Condition {
        Condition("\(left.name) > \(right.text)")
    }

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
    public init(_ text: String) {
        self.text = JSONValue.string(text).text
    }

    public init(_ number: Int) {
        text = String(number)
    }

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
