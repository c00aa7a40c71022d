// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// Turns events into payloads and back.
enum PayloadCodec {
    static func encode(_ event: some Event) throws -> [UInt8] {
        do {
            return try JSONPayloadCodec.encode(event)
        } catch {
            throw CascadeError(
                .badPayload, "'\(type(of: event).name)' cannot be written as JSON: \(error)")
        }
    }

    static func decode<E: Event>(
        _ type: E.Type, from payload: some Collection<UInt8>, contentType: String?
    ) throws -> E {
        if let contentType {
            throw CascadeError(
                .badPayload,
                "the payload of '\(E.name)' is '\(contentType.escapedForDisplay())', not JSON")
        }
        do {
            return try JSONPayloadCodec.decode(type, from: payload)
        } catch {
            throw CascadeError(.badPayload, "the payload is no '\(E.name)': \(error)")
        }
    }

    static func decode<E: Event>(_ type: E.Type, from visit: Visit) throws -> E {
        try decode(type, from: visit.payload, contentType: visit.contentType)
    }
}
