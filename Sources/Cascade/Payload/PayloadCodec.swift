// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire

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
            let problem = (error as? DecodingError)?.problem ?? "\(error)"
            throw CascadeError(
                .badPayload, "the payload cannot be decoded as \(what()): \(problem)")
        }
    }
}

extension DecodingError {
    /// The difference between the JSON and the type, with the path of the member, such as
    /// `'order.items[2].price'`.
    fileprivate var problem: String {
        guard let (path, text) = difference else {
            return "\(self)"
        }
        let member = "'\(path.text { $0.escapedForDisplay() })'"
        if case .keyNotFound = self {
            return "\(member) is missing"
        }
        let sentence = text.prefix(1).lowercased() + text.dropFirst(1)
        let problem = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return path.isEmpty ? problem : "\(member): \(problem)"
    }
}
