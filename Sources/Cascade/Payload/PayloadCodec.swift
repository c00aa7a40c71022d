// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The conversion between values and payloads.
enum PayloadCodec {
    static func encode(_ value: some NamedValue) throws -> [UInt8] {
        try encode(value, as: "'\(type(of: value).name)'")
    }

    /// - Parameter what: The description of the value for error messages.
    static func encode(
        _ value: some Encodable, as what: @autoclosure () -> String
    ) throws -> [UInt8] {
        do {
            return try JSONPayloadCodec.encode(value)
        } catch {
            throw CascadeError(.badPayload, "\(what()) cannot be encoded as JSON: \(error)")
        }
    }

    static func decode<V: NamedValue>(
        _ type: V.Type, from payload: some Collection<UInt8>, contentType: String?
    ) throws -> V {
        try decode(type, as: "'\(V.name)'", from: payload, contentType: contentType)
    }

    static func decode<V: NamedValue>(_ type: V.Type, from visit: Visit) throws -> V {
        try decode(type, from: visit.payload, contentType: visit.contentType)
    }

    /// - Parameter what: The description of the value for error messages.
    static func decode<Value: Decodable>(
        _ type: Value.Type, as what: @autoclosure () -> String,
        from payload: some Collection<UInt8>, contentType: String?
    ) throws -> Value {
        if let contentType {
            throw CascadeError(
                .badPayload,
                "the payload of \(what()) is '\(contentType.escapedForDisplay())', not JSON")
        }
        do {
            return try JSONPayloadCodec.decode(type, from: payload)
        } catch {
            throw CascadeError(.badPayload, "the payload cannot be decoded as \(what()): \(error)")
        }
    }
}
