// SPDX-License-Identifier: Apache-2.0

/// The versions of the protocol that this code speaks. A greeting offers a range; the daemon takes
/// the highest version that both know.
package enum ProtocolVersion {
    /// What a greeting begins with, so that a stranger is told apart from an old peer.
    package static let name = "cascade"
    package static let min: UInt16 = 1
    package static let max: UInt16 = 1
}
