// SPDX-License-Identifier: Apache-2.0

/// The condition under which a responder is asked, in the bus's predicate language. The bus
/// evaluates it before it visits the node.
///
///     .handle(OrderPlaced.self, when: #"amount > 100 && origin ~ "/shop/*""#) { … }
///     .handle(OrderPlaced.self, when: EventMember("amount") > 100) { … }
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The condition in the predicate language.
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
