// SPDX-License-Identifier: Apache-2.0

/// One entry of a node's ordered list of responders.
package struct ResponderDeclaration: Hashable, Sendable {
    package var kind: ResponderKind
    /// The name it responds to; `nil` for every name.
    package var name: EventName?
    /// The predicate under which it is asked, as it was written; `nil` for always.
    package var when: String?

    package init(_ kind: ResponderKind, _ name: EventName?, when: String? = nil) {
        self.kind = kind
        self.name = name
        self.when = when
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        let number: UInt8 = try parts.integer()
        guard let kind = ResponderKind(rawValue: number) else {
            throw WireError("there is no kind of responder \(number)")
        }
        let name = try parts.text()
        self.init(kind, name == NameRule.wildcard ? nil : try EventName(decoding: name))
        if !parts.isAtEnd {
            when = try parts.text()
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.responder) { parts in
            parts.append(kind.rawValue)
            parts.append(name?.description ?? NameRule.wildcard)
            if let when {
                parts.append(when)
            }
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
    package init(decoding text: String) throws(WireError) {
        do {
            try self.init(text)
        } catch {
            throw WireError(.badPath, error.description)
        }
    }
}
