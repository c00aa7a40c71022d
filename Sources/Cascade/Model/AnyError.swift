// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An error whatever its type, as an untyped responder sees it, or whoever asked in vain.
public struct AnyError: Error, Sendable, CustomStringConvertible {
    /// What it says, and the errors that led to it.
    public let failure: Failure
    /// What it carries; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// What the payload is; `nil` for JSON.
    public let contentType: String?
    /// What it carries beside its payload.
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

    /// What the error is called.
    public var name: EventName {
        failure.name
    }

    /// What it says to people.
    public var message: String? {
        failure.message
    }

    /// What heads the message; an error with a title is alertable.
    public var title: String? {
        failure.title
    }

    /// Where it began.
    public var node: NodePath? {
        failure.node
    }

    /// The errors that led to it, nearest first.
    public var causes: [Failure] {
        failure.causes
    }

    /// The error as a value of its type. Throws ``CascadeError`` if the payload is none.
    public func decoded<E: ReportableError>(as type: E.Type = E.self) throws -> E {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }

    public var description: String {
        failure.description
    }
}
