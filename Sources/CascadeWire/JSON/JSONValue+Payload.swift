// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The members of an object of those that have a value.
    package static func memberList(_ members: KeyValuePairs<String, JSONValue?>) -> [Member] {
        members.compactMap { member in
            member.value.map { Member(key: member.key, value: $0) }
        }
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
        contentType == nil && !bytes.isEmpty ? try? JSONParser.parse(bytes) : nil
    }
}
