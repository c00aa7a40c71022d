// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A value that somebody has set for a key at a place.
struct SetValue: Equatable, Sendable {
    enum Setter: Equatable, Sendable {
        /// The node at the place. The value goes with it.
        case node
        /// The node at the place, for the path: it stays when the node goes.
        case stickyNode
        /// Somebody else, for the path.
        case outside
    }

    let value: KeyValue
    let setter: Setter
    /// Whether the node at the place reads it too, and not only what is below.
    let isForItself: Bool
    /// The later it was set, the higher.
    let order: UInt64
    let since: Instant
    let author: Author
    /// The account that it is charged to.
    var account = AccountTable.own

    /// Whether somebody says again what stands already.
    func isSame(as other: SetValue) -> Bool {
        value == other.value && setter == other.setter && isForItself == other.isForItself
    }
}
