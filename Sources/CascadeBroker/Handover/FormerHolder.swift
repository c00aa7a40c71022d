// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Who held a place when the daemon before this one ended. The same session has it back as it was,
/// as if there had been one daemon all the time; for anybody else it is a vacant place.
struct FormerHolder: Equatable, Sendable {
    var session: SessionIdentity
    var rank: UInt64
    var isActive: Bool
    /// What its declaration said. Where that has changed meanwhile, it counts.
    var isDeclaredActive: Bool
}
