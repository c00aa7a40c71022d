// SPDX-License-Identifier: Apache-2.0

import CascadeSession

extension Raising {
    init(_ value: some NamedValue, _ attributes: [String: String]) throws {
        self.init(
            name: try EventName(naming: type(of: value)), payload: try PayloadCodec.encode(value),
            attributes: [Attribute](attributes))
    }

    /// Creates the replacement of a visit's message, with the same attributes.
    init(_ replacement: some NamedValue, inPlaceOf visit: Visit) throws {
        self.init(
            name: try EventName(naming: type(of: replacement)),
            payload: try PayloadCodec.encode(replacement), attributes: visit.attributes)
    }
}

extension [Attribute] {
    init(_ table: [String: String]) {
        self = table.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) }
    }
}

extension Visit {
    var attributeTable: [String: String] {
        Dictionary(attributes.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }
}

extension EventName {
    /// Returns the name of a type. Throws ``CascadeError`` if it violates the rule for names.
    init<V: NamedValue>(naming type: V.Type) throws {
        do {
            try self.init(V.name)
        } catch {
            throw CascadeError(.badName, error.description)
        }
    }
}
