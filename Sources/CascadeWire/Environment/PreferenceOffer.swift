// SPDX-License-Identifier: Apache-2.0

/// A value that a node offers upward, or takes back.
package struct PreferenceOffer: Hashable, Sendable {
    package var key: EventName
    /// The value as JSON text; `nil` to take back what was offered.
    package var json: String?
    package var reducer: PreferenceReducer

    package init(_ key: EventName, _ json: String?, _ reducer: PreferenceReducer) {
        self.key = key
        self.json = json
        self.reducer = reducer
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var fields = field.nested
        var key: EventName?
        var json: String?
        var reducer = PreferenceReducer.first
        while let field = try fields.next() {
            switch field.tag {
            case .key: key = try EventName(decodingKey: field.text())
            case .text: json = try field.text()
            case .reducer:
                let number: UInt8 = try field.integer()
                guard let known = PreferenceReducer(rawValue: number) else {
                    throw WireError(.otherReducer, "there is no reducer \(number)")
                }
                reducer = known
            default: break
            }
        }
        guard let key else {
            throw WireError("a preference has no key")
        }
        self.init(key, json, reducer)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(
            .preference,
            nested: { offer in
                offer.append(.key, key.description)
                if let json {
                    offer.append(.text, json)
                }
                offer.append(.reducer, reducer.rawValue)
            })
    }
}
