// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The route of a message: the responders on its way in order, and whether each would be asked.
public struct RouteDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/route"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the message.
    public var name: EventName
    public var lane: DocumentWord<Lane>
    /// The node whose child would be the origin; `nil` if the policy hides it.
    public var from: NodePath?
    public var responders: [RouteStep]
}

/// A responder on the way of a message, or a place without one.
public struct RouteStep: Codable, Hashable, Sendable {
    public var path: NodePath
    /// The position of the responder in the node's list, from 0; `nil` for a place without one.
    public var responder: Int?
    public var kind: DocumentWord<ResponderKind>?
    /// The name of the messages that the responder is for; `*` for every name.
    public var name: String?
    /// Whether the responder would be asked.
    public var asked: Bool
    /// The reason why it would be asked or not, as a phrase.
    public var why: String
}

/// The recipients of a publication, for each destination, in the order in which they would be called.
public struct SubscribersDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/subscribers"

    public private(set) var schema = DocumentSchema<Self>()
    public var last: [NodePath]
    public var lastLevel: [NodePath]
    public var firstLevel: [NodePath]
    public var all: [NodePath]

    /// The recipients for a destination.
    public subscript(destination: PublishingDestination) -> [NodePath] {
        switch destination {
        case .last: last
        case .lastLevel: lastLevel
        case .firstLevel: firstLevel
        case .all: all
        }
    }
}

extension SubscribersDocument {
    package init(_ answer: SubscribersAnswer) {
        self.init(
            last: answer.last, lastLevel: answer.lastLevel, firstLevel: answer.firstLevel,
            all: answer.all)
    }

    /// A document without subscribers.
    package static let none = SubscribersDocument(last: [], lastLevel: [], firstLevel: [], all: [])
}
