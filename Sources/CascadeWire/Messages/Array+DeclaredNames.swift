// SPDX-License-Identifier: Apache-2.0

extension [EventName]? {
    /// The names with the one of another field; an empty text declares that there is none.
    func adding(_ field: FieldReader.Field) throws(WireError) -> [EventName] {
        let text = try field.text()
        let names = self ?? []
        return text.isEmpty ? names : names + [try EventName(decoding: text)]
    }
}

extension Array where Element == EventName {
    func write(as tag: FieldTag, to fields: inout FieldWriter) {
        for name in self {
            fields.append(tag, name.description)
        }
        if isEmpty {
            fields.append(tag, "")
        }
    }
}
