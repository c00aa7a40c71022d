// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An error of any type, as untyped responders and requesters receive it.
public struct AnyError: Error, Sendable, CustomStringConvertible {
    /// The name, message and causes of the error.
    public let failure: Failure
    /// The payload; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    public let contentType: String?
    /// The strings that travel beside the payload.
    public let attributes: [String: String]

    init(_ failure: Failure, _ reply: Reply? = nil) {
        self.failure = failure
        payload = reply?.payload ?? []
        contentType = reply?.contentType
        attributes = [:]
    }

    init(_ visit: Visit) {
        failure = visit.failure ?? Failure(name: visit.name)
        payload = Array(visit.payload)
        contentType = visit.contentType
        attributes = visit.attributeTable
    }

    /// The name of the error.
    public var name: EventName {
        failure.name
    }

    /// The message for people.
    public var message: String? {
        failure.message
    }

    /// The title shown above the message. An error with a title is alertable.
    public var title: String? {
        failure.title
    }

    /// The node where the error began.
    public var node: NodePath? {
        failure.node
    }

    /// The errors that led to this one, nearest first.
    public var causes: [Failure] {
        failure.causes
    }

    /// Decodes the error as a value of a type. Throws ``CascadeError`` if the payload does not fit.
    public func decoded<E: ReportableError>(as type: E.Type = E.self) throws -> E {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }

    public var description: String {
        failure.description
    }
}
