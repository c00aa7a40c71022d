// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// The messages that no node handled, and those that are held for a later responder. Other brokers
/// call such a list a dead-letter queue.
public struct UndeliveredDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/undelivered"

    public private(set) var schema = DocumentSchema<Self>()
    public var undelivered: [UndeliveredMessage]
}

/// An undelivered or held message.
public struct UndeliveredMessage: Codable, Hashable, Sendable {
    public var id: EventID
    /// The name that the message had last.
    public var name: EventName
    public var lane: DocumentWord<Lane>
    /// The node that raised the message.
    public var origin: NodePath
    /// The attributes; `nil` in a list, and for a message without any. So are ``title`` and
    /// ``message``.
    public var attributes: NamedMembers<String>?
    /// The title of a reported error, shown above its message.
    public var title: String?
    /// The message of a reported error.
    public var message: String?
    /// The payload; text if it is not JSON.
    public var payload: JSONValue?
    /// The size of a payload that is too long to be shown, in bytes.
    public var leftOutBytes: UInt64?
    /// The time at which the message ended or, if it is held, was raised.
    public var when: Timestamp
    /// The outcome, such as `unhandled`; `held` for a held message, and `quarantined` for one that
    /// made its responders crash.
    public var reason: String
    /// The time until which the message is held for a responder; `nil` if it is not held.
    public var heldUntil: Timestamp?

    /// Whether the message waits for a responder.
    public var isHeld: Bool {
        reason == "held"
    }
}
