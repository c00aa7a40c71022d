// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The user, or the key, to which a durable event belongs, and whether its session has proved its
/// ID, as its records say.
struct DurableOwner: Equatable, Sendable {
    var owner: Owner
    var isProven: Bool
    /// Records of release 0.1.0 say neither the key nor whether the session had a secret.
    var isKeyKnown = true

    init(_ owner: Owner, isProven: Bool) {
        self.owner = owner
        self.isProven = isProven
    }

    /// Whether a peer with these credentials is the owner.
    func covers(_ other: Owner) -> Bool {
        isKeyKnown ? owner == other : owner.userID == other.userID
    }

    /// Reads the fields that ``write(to:)`` wrote, among others.
    init(fields: FieldReader) throws(WireError) {
        self.init(Owner(userID: .max), isProven: false)
        isKeyKnown = false
        var rest = fields
        while let field = try rest.next() {
            switch field.tag {
            case .userID: owner.userID = try field.integer()
            case .policyKey: owner.key = try field.text()
            case .isProven:
                isKeyKnown = true
                isProven = try field.integer(UInt8.self) != 0
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.userID, owner.userID)
        if let key = owner.key {
            fields.append(.policyKey, key)
        }
        if isKeyKnown {
            fields.append(.isProven, UInt8(isProven ? 1 : 0))
        }
    }
}
