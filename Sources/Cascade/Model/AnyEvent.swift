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
        attributes = Dictionary(
            visit.attributes.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The event as a value of its type. Throws ``CascadeError`` if the payload is none.
    public func decoded<E: Event>(as type: E.Type = E.self) throws -> E {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }
}
