// SPDX-License-Identifier: Apache-2.0

extension [EventName]? {
    /// Adds the name of another field; an empty text declares that there is none.
    mutating func add(_ field: FieldReader.Field) throws(WireError) {
        let text = try field.text()
        if self == nil {
            self = []
        }
        if !text.isEmpty {
            self?.append(try EventName(decoding: text))
        }
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
