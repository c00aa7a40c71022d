// SPDX-License-Identifier: Apache-2.0

/// When a responder is asked, in the bus's own language for predicates: the bus evaluates it, and
/// visits no node for nothing.
///
///     .handle(OrderPlaced.self, when: #"amount > 100 && origin ~ "/shop/*""#) { … }
///     .handle(OrderPlaced.self, when: EventMember("amount") > 100) { … }
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The condition as it is written.
    public let description: String

    public init(_ text: String) {
        description = text
    }

    public static func && (left: Condition, right: Condition) -> Condition {
        Condition("(\(left)) && (\(right))")
    }

    public static func || (left: Condition, right: Condition) -> Condition {
        Condition("(\(left)) || (\(right))")
    }

    public static prefix func ! (condition: Condition) -> Condition {
        Condition("!(\(condition))")
    }
}

extension Condition: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
