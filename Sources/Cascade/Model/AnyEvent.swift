// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An event whatever its type, as an untyped responder sees it.
public struct AnyEvent: Sendable {
    /// What the event is called.
    public let name: EventName
    /// Its payload as it was raised; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// What the payload is; `nil` for JSON.
    public let contentType: String?
    /// What the event carries beside its payload.
    public let attributes: [String: String]

    init(_ visit: Visit) {
        name = visit.name
        payload = Array(visit.payload)
        contentType = visit.contentType
        attributes = visit.attributeTable
    }

    /// The event, or request, as a value of its type. Throws ``CascadeError`` if the payload is
    /// none.
    public func decoded<V: NamedValue>(as type: V.Type = V.self) throws -> V {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }
}
