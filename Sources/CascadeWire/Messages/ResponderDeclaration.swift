// SPDX-License-Identifier: Apache-2.0

/// One entry of a node's ordered list of responders.
package struct ResponderDeclaration: Hashable, Sendable {
    package var kind: ResponderKind
    /// The name it responds to; `nil` for every name.
    package var name: EventName?

    package init(_ kind: ResponderKind, _ name: EventName?) {
        self.kind = kind
        self.name = name
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        let number: UInt8 = try parts.integer()
        guard let kind = ResponderKind(rawValue: number) else {
            throw WireError("there is no kind of responder \(number)")
        }
        let name = try parts.text()
        self.init(kind, name == NameRule.wildcard ? nil : try EventName(decoding: name))
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.responder) { parts in
            parts.append(kind.rawValue)
            parts.append(name?.description ?? NameRule.wildcard)
        }
    }
}

extension EventName {
    /// A name that came over the wire.
    init(decoding text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badName, error.description)
        }
    }
}

extension NodePath {
    /// A path that came over the wire.
    init(decoding text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badPath, error.description)
        }
    }
}
