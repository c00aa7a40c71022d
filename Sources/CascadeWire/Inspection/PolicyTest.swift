// SPDX-License-Identifier: Apache-2.0

/// A question to policy: may a subject do something at a path?
package struct PolicyTest: Equatable, Sendable {
    package var verb: String
    package var path: NodePath
    /// The identity to test; `nil` for that of the caller.
    package var identity: PolicyIdentity?

    package init(_ verb: String, at path: NodePath, by identity: PolicyIdentity? = nil) {
        self.verb = verb
        self.path = path
        self.identity = identity
    }

    init(fields: FieldReader) throws(WireError) {
        var fields = fields
        var verb: String?
        var path = NodePath.root
        var identity = PolicyIdentity()
        while let field = try fields.next() {
            switch field.tag {
            case .policyVerb: verb = try field.text()
            case .path: path = try NodePath(decoding: field.text())
            case .policyUser: identity.userID = try field.integer()
            case .policyGroup: identity.groupIDs.append(try field.integer())
            case .policyUnit: identity.unit = try field.text()
            case .policyKey: identity.key = try field.text()
            default: break
            }
        }
        guard let verb else {
            throw WireError("a question to policy names no verb")
        }
        self.init(verb, at: path, by: identity == PolicyIdentity() ? nil : identity)
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.policyVerb, verb)
        fields.append(.path, path.description)
        guard let identity else {
            return
        }
        if let userID = identity.userID {
            fields.append(.policyUser, userID)
        }
        for groupID in identity.groupIDs {
            fields.append(.policyGroup, groupID)
        }
        if !identity.unit.isEmpty {
            fields.append(.policyUnit, identity.unit)
        }
        if let key = identity.key {
            fields.append(.policyKey, key)
        }
    }
}
