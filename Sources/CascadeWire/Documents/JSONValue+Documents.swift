// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON

extension JSONValue {
    /// One of the documents that scripts rely on.
    package static func document(
        _ schema: String, _ members: KeyValuePairs<String, JSONValue?>
    ) -> JSONValue {
        let name = Member(key: "schema", value: .string("cascade/v1/\(schema)"))
        return .object([name] + memberList(members))
    }

    /// The members that hold a payload: as it is where it is JSON, and otherwise its bytes as text
    /// under the same name with `Base64` behind it, and their type.
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

    /// What is announced as JSON and is none is shown as bytes.
    package static func json(_ bytes: ArraySlice<UInt8>, _ contentType: String?) -> JSONValue? {
        contentType == nil && !bytes.isEmpty ? try? JSONValue(parsing: bytes) : nil
    }
}

extension Failure {
    /// The error as documents show it, its causes nested in it.
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
    /// The visit as the trail of an outcome shows it.
    package var json: JSONValue {
        .members([
            "path": .text(path),
            "responder": .integer(responder),
            "kind": .string(kind.name),
            "name": .text(name),
            "verdict": .string(hasTimedOut ? "timedOut" : verdict.name),
            "microseconds": .integer(microseconds),
            "message": message.map { .string($0) },
            "title": title.map { .string($0) },
        ])
    }
}
