// SPDX-License-Identifier: Apache-2.0

/// The rule for names of events, keys and path components.
///
/// A name matches `[A-Za-z0-9_][A-Za-z0-9_.:-]*` and has at most ``byteCountMax`` bytes.
package enum NameRule {
    /// The longest name or path component, in bytes.
    package static let byteCountMax = 128

    /// The text that stands for every name in the declaration of a responder.
    package static let wildcard = "*"

    /// Throws ``NameError``, which quotes `name`, if `name` breaks the rule.
    package static func check(
        _ name: some StringProtocol, as what: @autoclosure () -> String
    ) throws(NameError) {
        guard !name.isEmpty else {
            throw NameError("\(what()) is empty")
        }
        guard name.utf8.count <= byteCountMax else {
            throw NameError(
                "\(what()) '\(name.escapedForDisplay())' has \(name.utf8.count) bytes, "
                    + "more than \(byteCountMax)")
        }
        guard isValid(name) else {
            throw NameError(
                "\(what()) '\(name.escapedForDisplay())' is not valid: letters, digits and "
                    + "_ . : - are allowed, beginning with a letter, a digit or _")
        }
    }

    private static func isValid(_ name: some StringProtocol) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            guard allows(byte, isFirst: isFirst) else {
                return false
            }
            isFirst = false
        }
        return true
    }

    /// Whether the rule allows a byte as the first one or as a later one.
    package static func allows(_ byte: UInt8, isFirst: Bool) -> Bool {
        isLetterDigitOrUnderscore(byte) || (!isFirst && isInnerMark(byte))
    }

    private static func isLetterDigitOrUnderscore(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private static func isInnerMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
    }
}

/// The reason why a name or a path breaks ``NameRule``. It quotes the text, escaped.
package struct NameError: Error, Equatable, CustomStringConvertible {
    /// The reason as one sentence for a person.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

// MARK: - Names of keys

/// The rule for the names of authorized keys: letters, digits, and `.` `_` `:` `@` `-`.
package enum KeyName {
    /// The longest name, in bytes.
    package static let byteCountMax = 128
    /// The rule, as a part of a sentence.
    package static let rule = "a name has letters, digits, and . _ : @ -"

    /// Whether a text is the name of a key.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        (1...byteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Reads a name from a message.
    static func read(_ text: String) throws(WireError) -> String {
        guard isValid(text) else {
            throw WireError(
                "'\(text.escapedForDisplay())' is not the name of a key: a name has letters, digits, "
                    + "and . _ : @ -")
        }
        return text
    }
}

// MARK: - Names of events

/// The name of an event or publication, valid by construction.
public struct EventName: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// Throws ``NameError``, which quotes `name`, if `name` breaks the rule for names.
    package init(_ name: some StringProtocol) throws(NameError) {
        try NameRule.check(name, as: "the name")
        description = String(name)
    }

    /// The prefix of the names that only the bus itself may raise.
    package static let reservedPrefix = "cascade."

    /// Whether only the bus itself may raise messages of this name.
    package var isReserved: Bool {
        description.utf8.starts(with: Self.reservedPrefix.utf8)
    }

    /// Creates a name without a check. The caller guarantees that the name follows the rule.
    package init(unchecked name: String) {
        description = name
    }
}

extension EventName: ExpressibleByStringLiteral {
    /// Creates a name from a literal of the program. An invalid literal stops the program.
    public init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure(error.description)
        }
    }
}

/// The errors that the bus reports about a node, at the parent of the node.
extension EventName {
    /// The node's process has exited, or its connection broke.
    public static let nodeLost: EventName = "cascade.NodeLost"
    /// The node's process is connected, but answers no beats.
    public static let nodeSlow: EventName = "cascade.NodeSlow"
    /// A request of the node exceeded a limit.
    public static let quotaReached: EventName = "cascade.QuotaReached"
    /// Policy denied an action at the node.
    public static let callDenied: EventName = "cascade.CallDenied"
}

extension EventName {
    /// The request by which buses that are connected inspect each other. Nodes that connect buses respond to
    /// it, and peers that may inspect its origin raise it.
    package static let inspection: EventName = "cascade.Inspect"

    /// Reads a name from a message. Throws ``WireError`` with the code ``ErrorCode/badName``.
    init(decoding text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badName, error.description)
        }
    }

    /// Reads a key from a message. Throws ``WireError`` with the code ``ErrorCode/badKey`` if it breaks
    /// the rule for names.
    init(decodingKey text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badKey, error.description)
        }
    }
}
