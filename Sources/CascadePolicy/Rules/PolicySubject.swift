// SPDX-License-Identifier: Apache-2.0

package import CascadeExpressions
package import CascadeWire

/// The subject of a policy rule.
package enum PolicySubject: Sendable {
    case user(UInt32)
    /// Processes with the group as their primary or a supplementary one.
    case group(UInt32)
    case unit(Glob)
    /// Peers that have proved to own the key of this name.
    case key(Glob)
    /// Every peer, including those without a known identity.
    case everyone

    /// Returns whether an identity belongs to the subject.
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
