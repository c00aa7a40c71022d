// SPDX-License-Identifier: Apache-2.0

package import CascadeExpressions
package import CascadeWire

/// Whom a rule of policy is for.
package enum PolicySubject: Sendable {
    case user(UInt32)
    /// Who has the group as its own, or as one of its supplementary ones.
    case group(UInt32)
    case unit(Glob)
    /// Who has proved to have the key of this name.
    case key(Glob)
    /// Also those of whom nothing is known.
    case everyone

    package func includes(_ identity: PolicyIdentity) -> Bool {
        switch self {
        case .user(let userID): identity.userID == userID
        case .group(let groupID): identity.groupIDs.contains(groupID)
        case .unit(let glob): !identity.unit.isEmpty && glob.matches(identity.unit)
        case .key(let glob): identity.key.map { glob.matches($0) } ?? false
        case .everyone: true
        }
    }
}
