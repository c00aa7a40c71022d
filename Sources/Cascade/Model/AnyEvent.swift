// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An event of any type, as untyped responders receive it.
public struct AnyEvent: Sendable {
    /// The name of the event.
    public let name: EventName
    /// The payload as the origin sent it; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    public let contentType: String?
    /// The strings that travel beside the payload.
    public let attributes: [String: String]

    init(_ visit: Visit) {
        name = visit.name
        payload = Array(visit.payload)
        contentType = visit.contentType
        attributes = visit.attributeTable
    }

    /// Decodes the event or request as a value of a type. Throws ``CascadeError`` if the payload
    /// does not fit.
    public func decoded<V: NamedValue>(as type: V.Type = V.self) throws -> V {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }
}
