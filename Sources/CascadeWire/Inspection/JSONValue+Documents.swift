// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON

extension JSONValue {
    /// Returns a document with the given members. Its first member, `schema`, names the format for
    /// scripts.
    package static func document(
        _ schema: String, _ members: KeyValuePairs<String, JSONValue?>
    ) -> JSONValue {
        let name = Member(key: "schema", value: .string("cascade/v1/\(schema)"))
        return .object([name] + memberList(members))
    }

    /// Returns the members for a payload and its content type. A JSON payload is inserted as it is; any
    /// other payload is Base64 under the same name with the suffix `Base64`.
    package static func payload(
        _ bytes: ArraySlice<UInt8>, _ contentType: String?, as key: String = "payload"
    ) -> [Member] {
        var members: [Member] = []
        if let json = json(bytes, contentType) {
            members.append(Member(key: key, value: json))
        } else if !bytes.isEmpty {
            members.append(Member(key: key + "Base64", value: .string(Base64.encode(bytes))))
        }
        if let contentType {
            members.append(Member(key: "contentType", value: .string(contentType)))
        }
        return members
    }

    /// Returns the payload as JSON; `nil` if it has a content type, is empty or is not valid JSON.
    package static func json(_ bytes: ArraySlice<UInt8>, _ contentType: String?) -> JSONValue? {
        contentType == nil && !bytes.isEmpty ? try? JSONValue(parsing: bytes) : nil
    }
}

extension Failure {
    /// The error as a JSON object, with its causes nested in it.
    package var json: JSONValue {
        var cause: JSONValue?
        for error in causes.reversed() {
            cause = error.json(cause: cause)
        }
        return json(cause: cause)
    }

    private func json(cause: JSONValue?) -> JSONValue {
        .members([
            "name": .text(name),
            "message": message.map { .string($0) },
            "title": title.map { .string($0) },
            "node": node.map { .text($0) },
            "cause": cause,
        ])
    }
}

extension VisitRecord {
    /// The visit as a JSON object, an element of an outcome's trail.
    package var json: JSONValue {
        .members([
            "path": .text(path),
            "responder": .integer(responder),
            "kind": .string(kind.name),
            "name": .text(name),
            "verdict": .string(hasTimedOut ? "timedOut" : verdict.name),
            "microseconds": .integer(microseconds),
            "at": at.map { .integer($0) },
            "waited": waited.map { .integer($0) },
            "message": message.map { .string($0) },
            "title": title.map { .string($0) },
        ])
    }
}

// MARK: - Base64

/// The encoding of bytes as text (RFC 4648), for payloads other than JSON.
package enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let digit = digits[bits >> (18 - 6 * place) & 0x3F]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes; `nil` for a text that ``encode(_:)`` does not write.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let group = rest.prefix(4)
            rest = rest.dropFirst(4)
            let significant = group.prefix { $0 != UInt8(ascii: "=") }
            let places = significant.compactMap { digits.firstIndex(of: $0) }
            guard group.count == 4, places.count == significant.count, places.count > 1,
                places.count == 4 || rest.isEmpty
            else {
                return nil
            }
            let bits = places.reduce(0) { $0 << 6 | $1 } << (6 * (4 - places.count))
            bytes += (0..<(places.count - 1)).map {
                UInt8(truncatingIfNeeded: bits >> (16 - 8 * $0))
            }
        }
        return bytes
    }
}
