// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The session that held a place when the previous daemon ended. The same session gets the place
/// back unchanged; for every other session the place is vacant.
struct FormerHolder: Equatable, Sendable {
    var session: SessionIdentity
    var rank: UInt64
    var isActive: Bool
    /// What its declaration said. Where that has changed meanwhile, it counts.
    var isDeclaredActive: Bool
}
